export const SHELLS = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof SHELLS)[number]

/**
 * Scripts that ask the program itself for the words that may follow. It prints a word and its meaning per line, separated
 * by a tab. Where it prints none, the shell offers files.
 */
export const SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: `# bash completion for weir. In ~/.bashrc: source <(weir completion bash)
_weir() {
  # COMP_WORDS is not used: it has quotes and backslashes as typed, and words are split at colons and equals signs.
  # Bash replaces only what follows the last colon or equals sign, so the prefix is left out of the replies.
  local line=\${COMP_LINE:0:COMP_POINT} breaks=\${COMP_WORDBREAKS//[^:=]/} words=() char at
  local word='' quote='' begun='' prefix='' found about
  for ((at = 0; at < \${#line}; at++)); do
    char=\${line:at:1}
    if [[ -n $quote && $char == "$quote" ]]; then quote=''
    elif [[ $quote == "'" ]]; then word+=$char
    elif [[ $char == "\\\\" ]]; then at=$((at + 1)) word+=\${line:at:1} begun=1
    elif [[ -z $quote && ( $char == "'" || $char == '"' ) ]]; then quote=$char begun=1
    elif [[ -z $quote && $char == [[:space:]] ]]; then
      [[ -n $begun ]] && words+=("$word")
      word='' begun='' prefix=''
    else
      word+=$char begun=1
      [[ -z $quote && $breaks == *"$char"* ]] && prefix=$word
    fi
  done
  COMPREPLY=()
  while IFS=$'\\t' read -r found about; do
    found=\${found#"$prefix"}
    [[ -n $quote ]] || printf -v found '%q' "$found"
    COMPREPLY+=("$found")
  done < <(weir complete -- "\${words[@]:1}" "$word" 2>/dev/null)
}
complete -o default -o nosort -F _weir weir 2>/dev/null || complete -o default -F _weir weir
`,
  zsh: `#compdef weir
# zsh completion for weir. In ~/.zshrc, after compinit: source <(weir completion zsh)
_weir() {
  local -a found
  local word about
  # PREFIX is the word up to the cursor, without the quote that begins it.
  while IFS=$'\\t' read -r word about; do
    found+=("\${word//:/\\\\:}\${about:+:$about}")
  done < <(weir complete -- "\${(@Q)words[2,CURRENT-1]}" "\${(Q)PREFIX}" 2>/dev/null)
  if (( \${#found} )); then
    _describe -V weir found
  else
    _files
  fi
}
compdef _weir weir
`,
  fish: `# fish completion for weir: weir completion fish > ~/.config/fish/completions/weir.fish
function __weir_complete
    set -l words (commandline -opc)
    set -e words[1]
    # The word at the cursor is as typed: its quote may still be open.
    set -l word (string unescape -- (string replace -r '^["\\']' '' -- (commandline -ct)))
    set -l found (weir complete -- $words "$word" 2>/dev/null)
    if test (count $found) -gt 0
        printf '%s\\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c weir -f -a '(__weir_complete)'
`,
}
