// A question that a passage answers, with the answer.
export interface Suggestion {
  question: string;
  answer: string;
}
