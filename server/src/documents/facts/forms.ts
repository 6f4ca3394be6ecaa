// Paraphrases of the question for a property, under which a memory may hold the fact: "How tall is X?" for the height of X.

const forms: [RegExp, ((name: string) => string)[]][] = [
  [
    /^(?:price|cost)$/,
    [
      ...['price', 'cost'].map((word) => (name: string) => `What is the ${word} of ${name}?`),
      ...[(name: string) => `What does ${name} cost?`, (name: string) => `How much does ${name} cost?`],
      (name) => `How much is ${name}?`,
    ],
  ],
  [/^weight$/, [(name) => `How heavy is ${name}?`, (name) => `How much does ${name} weigh?`]],
  [/^height$/, [(name) => `How tall is ${name}?`, (name) => `How high is ${name}?`]],
  [/^length$/, [(name) => `How long is ${name}?`]],
  [/^width$/, [(name) => `How wide is ${name}?`]],
  [/^depth$/, [(name) => `How deep is ${name}?`]],
  [/^colou?r$/, ['colour', 'color'].map((word) => (name: string) => `What is the ${word} of ${name}?`)],
  [/^(?:manufacturer|maker)$/, [(name) => `Who makes ${name}?`, (name) => `Who manufactures ${name}?`]],
];

/** `property` as within a question, such as "price". */
export function otherForms(property: string, name: string): string[] {
  const own = forms.flatMap(([known, ask]) => (known.test(property) ? ask.map((form) => form(name)) : []));
  return [
    `What is the ${property} of ${name}?`,
    ...own,
    ...['What', 'Which'].flatMap((what) => [
      `${what} ${property} does ${name} have?`,
      `${what} ${property} is ${name}?`,
    ]),
    ...[`What ${property} does ${name} use?`, `What ${property} has ${name}?`],
  ];
}
