// What every reader of a file is told: which columns hold the questions and answers, and how the file is called in its errors.

export interface Columns {
  input: string;
  output: string;
}
