// Options of every file reader: the columns of questions and answers, and the name of the file in errors.

export interface Columns {
  input: string;
  output: string;
}
