// Errors in the words of the command line: commands instead of the calls of the API that the server's messages name.
import { ConnectionError, errorInWords, LorekeepError, withoutCalls } from '@lorekeep/client';

/** Calls that messages name, with the command that does the same. `$1` is the name or number in the path. */
const commands: [call: RegExp, command: string][] = [
  [/^GET \/v1\/keys$/, 'keys list'],
  [/^GET \/v1\/datasets$/, 'datasets list'],
  [/^POST \/v1\/datasets$/, 'datasets upload'],
  [/^GET \/v1\/indexes$/, 'index list'],
  [/^GET \/v1\/indexes\/([^/]+)\/files$/, 'index files $1'],
  [/^DELETE \/v1\/indexes\/([^/]+)$/, 'index delete $1'],
  [/^GET \/v1(?:\/models|alpha\/downloaded_models)$/, 'models list'],
  [/^POST \/v1alpha\/downloaded_models$/, 'models download'],
  [/^DELETE \/v1(?:\/models|alpha\/downloaded_models)\/([^/]+)$/, 'models delete $1'],
  [/^GET \/v1\/models\/([^/]+)\/facts$/, 'models facts $1'],
  [/^POST \/v1\/models\/([^/]+)\/move$/, 'models move $1'],
  [/^GET \/v1\/train\/jobs$/, 'jobs list'],
  [/^POST \/v1\/train$/, 'tune'],
  [/^GET \/v1\/evaluations$/, 'eval list'],
  [/^GET \/v1\/evaluations\/([^/]+)\/results$/, 'eval show $1'],
  [/^GET \/v1\/memories$/, 'memory list'],
  [/^DELETE \/v1\/memories\/([^/]+)$/, 'memory delete $1'],
  [/^GET \/v1\/memories\/([^/]+)\/(?:changes|versions)(?:\/\d+)?$/, 'memory changes $1'],
  [/^GET \/v1\/memories\/([^/]+)\/facts\?state=all$/, 'memory facts $1 --all'],
  [/^GET \/v1\/memories\/([^/]+)\/proposals\?state=all$/, 'memory proposals $1 --state all'],
  [/^GET \/v1\/memories\/([^/]+)\/readings$/, 'memory readings $1'],
  [/^(?:GET|POST) \/v1\/memories\/([^/]+)\/gate$/, 'memory gate $1'],
  [/^POST \/v1\/memories\/([^/]+)\/comparisons$/, 'memory compare $1'],
  [/^POST \/v1\/memories\/([^/]+)\/erasures\/plan$/, 'memory erase $1 --dry-run'],
  [/^POST \/v1\/memories\/([^/]+)\/erasures\/([^/]+)\/retry$/, 'memory erase $1 --again $2'],
  [/^POST \/v1\/memories\/([^/]+)\/erasures$/, 'memory erase $1'],
  [/^GET \/v1\/memories\/([^/]+)\/erasures$/, 'memory erasures $1'],
  [/^GET \/v1\/receipts$/, 'receipts list'],
  [/^GET \/v1\/receipts\/([^/]+)$/, 'receipts show $1'],
  [/^PATCH \/v1\/feedback\/settings$/, 'feedback keep'],
];

/** The text of an error for a person at `program`. */
export function inCommands(error: unknown, program: string): string {
  const message = errorInWords(error);
  // Messages of the command line itself name commands already, and may quote texts of the user.
  const isAnswer = error instanceof LorekeepError && (error.status > 0 || error instanceof ConnectionError);
  if (!isAnswer || error.mistakes.length > 0) return message;
  const command = (method: string, path: string) => {
    const call = `${method} ${path}`;
    const [pattern, words] = commands.find(([pattern]) => pattern.test(call)) ?? [];
    return pattern && `${program} ${call.replace(pattern, words!)}`;
  };
  return withoutCalls(message, command) || message;
}
