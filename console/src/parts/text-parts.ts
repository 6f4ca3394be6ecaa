// Detects code in a text: parts between fences, and multi-line texts whose lines mostly look like code.
export interface TextPart {
  code: boolean;
  text: string;
}

const fencePattern = /^```[^\n`]*\n([\s\S]*?)^```[ \t]*$\n?/gm;
const indentPattern = /^(?: {2,}|\t)\S/;
const endPattern = /[;{}]\s*$|^\s*[})\]]+[;,]?\s*$|\):?\s*$/;
const keywordPattern =
  /^\s*(?:(?:def|class|fn|func|function|const|let|var|public|private|static|return|package|namespace)\s+\S|import\s+[\w{*"'.]|from\s+\S+\s+import|#include|#!\/|@\w+|(?:if|for|while|else|elif|try|except|switch|match)\b.*[:{]\s*$|SELECT\s|FROM\s|WHERE\s|INSERT\s|<\/?\w[^>]*>|\$\s+\S)/;
const assignmentPattern = /^\s*[\w.[\]]+\s*(?::=|[-+*/|&]?=)\s*\S/;

const looksLikeCode = (line: string) =>
  indentPattern.test(line) || endPattern.test(line) || keywordPattern.test(line) || assignmentPattern.test(line);

function isCode(text: string): boolean {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.length > 1 && lines.filter(looksLikeCode).length * 2 >= lines.length;
}

export function textParts(text: string): TextPart[] {
  const parts: TextPart[] = [];
  const plain = (between: string) => {
    if (between.trim() !== '') parts.push({ code: isCode(between), text: between });
  };
  let end = 0;
  for (const match of text.matchAll(fencePattern)) {
    plain(text.slice(end, match.index));
    parts.push({ code: true, text: match[1]!.replace(/\n$/, '') });
    end = match.index + match[0].length;
  }
  plain(text.slice(end));
  return parts;
}
