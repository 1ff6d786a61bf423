export const SHELLS = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof SHELLS)[number]

/**
 * Scripts that ask the program itself for the words that may follow. It prints a word and its meaning per line, separated
 * by a tab. Where it prints none, the shell offers files.
 */
export const SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: `# bash completion for weir. In ~/.bashrc: source <(weir completion bash)
_weir() {
  local word about
  COMPREPLY=()
  while IFS=$'\\t' read -r word about; do
    COMPREPLY+=("$(printf '%q' "$word")")
  done < <(weir complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -o nosort -F _weir weir 2>/dev/null || complete -o default -F _weir weir
`,
  zsh: `#compdef weir
# zsh completion for weir. In ~/.zshrc, after compinit: source <(weir completion zsh)
_weir() {
  local -a found
  local word about
  while IFS=$'\\t' read -r word about; do
    found+=("\${word//:/\\\\:}\${about:+:$about}")
  done < <(weir complete -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)
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
    set -l found (weir complete -- $words (commandline -ct) 2>/dev/null)
    if test (count $found) -gt 0
        printf '%s\\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c weir -f -a '(__weir_complete)'
`,
}
