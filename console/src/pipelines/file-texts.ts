const plural = (count: number, one: string, many: string) => `${count} ${count === 1 ? one : many}`

/** Sentences of the dialog that makes a pipeline from a file. */
export const FILE_TEXT = {
  title: 'New pipeline from a file',
  why: 'A file of a pipeline in YAML or JSON, such as "npx weir pipeline export" writes. Nothing is saved before you say so.',
  choose: 'Choose a file',
  other: 'Choose another file',
  drop: 'or drop it here',
  notText: 'The file is not a text in UTF-8.',
  tooLarge: 'The file is larger than 10 MB.',
  onlyOne: 'Drop one file.',
  text: 'File of the pipeline',
  checking: 'The server checks the file…',
  creates: 'The server accepts the file. It makes a new pipeline:',
  changes: (title: string) =>
    `The server accepts the file. It changes the draft of "${title}", which exists:`,
  same: (title: string) => `The draft of "${title}" equals the file already.`,
  open: 'Open the pipeline',
  findings: (count: number) => plural(count, 'finding', 'findings'),
  line: (line: number) => `Line ${line}`,
  create: 'Create the pipeline',
  change: 'Change its draft',
} as const
