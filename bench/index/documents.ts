// Documents with known answers, the same for all measured programs: files of Markdown with one subject in each section, and questions about
// some of these things. Made of a seed. Things share their kind, place, person and room with many others, so that only the right words together find one.

const sectionsOfFile = 200;

export interface Documents {
  files: { name: string; text: string }[];
  questions: { question: string; heading: string }[];
}

const kinds = 'pump,mill,archive,bridge,lighthouse,kiln,library,ferry,greenhouse,telescope,bakery,tunnel'.split(',');
const places = 'Nordhaven,Brimoor,Castelow,Deepwater,Elmsford,Farrow,Glenmoor,Highgate'.split(',');
const teams = 'the harbour crew,the night shift,the gardeners,the surveyors,the joiners,the museum'.split(',');
const givenNames = 'Ada,Boris,Clara,Dana,Emil,Freya,Goran,Hilde,Ivo,Jana'.split(',');
const familyNames = 'Quist,Reyes,Tolland,Brandt,Oom,Varga,Lindt,Moreau,Sato,Adeyemi'.split(',');
const syllables =
  'ba,cor,del,fen,gar,hol,ira,jun,kel,lom,mar,nis,oru,pel,qua,rin,sol,tam,ulo,vek,wim,xan,yor,zeb'.split(',');

export function madeDocuments(sections: number, asked: number): Documents {
  const pick = picker(20261121);
  const built = Array.from({ length: sections }, (_, at) => section(at, pick));
  const files = Array.from({ length: Math.ceil(sections / sectionsOfFile) }, (_, at) => ({
    name: `inventory-${at + 1}.md`,
    text: `# Inventory, part ${at + 1}\n\n${built
      .slice(at * sectionsOfFile, (at + 1) * sectionsOfFile)
      .map(({ heading, text }) => `## ${heading}\n\n${text}\n`)
      .join('\n')}`,
  }));
  const step = Math.max(1, Math.floor(sections / asked));
  const questions = built
    .filter((_, at) => at % step === 0)
    .slice(0, asked)
    .map(({ heading, questions }, at) => ({ heading, question: questions[at % questions.length]! }));
  return { files, questions };
}

function section(at: number, pick: (from: string[]) => string) {
  const name = nameOf(at);
  const kind = pick(kinds);
  const place = pick(places);
  const team = pick(teams);
  const builder = `${pick(givenNames)} ${pick(familyNames)}`;
  const year = String(1700 + ((at * 37) % 320));
  const room = String(100 + ((at * 13) % 800));
  return {
    heading: `The ${name} ${kind}`,
    text:
      `This ${kind} in ${place} was built by ${builder} in ${year}, and is looked after by ${team}. ` +
      `Whoever needs the key of ${name} finds it in room ${room}, where it hangs beside the door.`,
    questions: [
      `Who built the ${name} ${kind}?`,
      `Where do I get the key to ${name}?`,
      `${kind} of ${builder} from ${year} in ${place}`,
      `Which people care for the ${kind} called ${name}, and since when does it stand?`,
    ],
  };
}

/** A unique name for each number. */
function nameOf(at: number): string {
  let name = '';
  for (let left = at + 1000; left > 0; left = Math.floor(left / syllables.length))
    name += syllables[left % syllables.length];
  return name[0]!.toUpperCase() + name.slice(1);
}

function picker(seed: number): (from: string[]) => string {
  let state = seed;
  return (from) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return from[Math.floor((state / 2 ** 32) * from.length)]!;
  };
}
