// Normal form of texts for searching persons and words: writing systems have several codes for one letter.
import { storable } from './question-key.ts';

const invisiblePattern = /[\u00ad\u200b-\u200d\u2060\ufeff]/g;
const apostrophes = /[\u2018\u2019\u201b\u02bc\u02b9\u2032\u00b4\u0060]/g;
const hyphens = /[\u2010-\u2015\u2212]/g;

/**
 * Equal for texts that differ in case, in composed or full-width letters, in kinds of apostrophes and hyphens, or in invisible
 * characters.
 */
export const searchForm = (text: string): string =>
  storable(text)
    // Before NFKC, which turns an acute accent into a space with a combining mark.
    .replace(apostrophes, "'")
    .normalize('NFKC')
    .replace(invisiblePattern, '')
    .replace(hyphens, '-')
    .toLowerCase()
    .normalize('NFC');
