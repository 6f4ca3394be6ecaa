// Words of manuals, and synonyms that somebody who has not read them may use.

const pairs = `
  abort stop, accept take, access reach, active enabled, actual real, add append, additional extra, address location, adjust change, allow permit, alter change, amount quantity,
  application program, argument parameter, array list, assign give, attach connect, attempt try, automatic unattended, available present, avoid prevent, begin start, behavior conduct,
  behaviour conduct, boolean flag, bug defect, build compile, byte octet, cache keep, calculate compute, call invoke, cancel abort, change modify, character letter, check verify,
  choose select, close shut, collect gather, combine merge, command instruction, compare match, complete finish, configuration settings, configure set, connect join, contain hold,
  content data, convert transform, copy duplicate, correct right, create make, current present, custom own, declare state, default usual, define describe, delete remove, deprecated outdated,
  describe explain, detect notice, develop write, difference distinction, directory folder, disable deactivate, display show, document page, download fetch, duplicate double, easy simple,
  edit change, element item, empty blank, enable activate, end finish, ensure guarantee, entire whole, entry record, environment surroundings, erase delete, error failure, event occurrence,
  example sample, exception error, execute run, exist be, exit quit, expect await, explicit stated, extend enlarge, extract pull, fail break, fast quick, feature ability, field column,
  file document, find locate, finish end, fix repair, folder directory, follow obey, force compel, format layout, forward pass, function routine, generate produce, get obtain, handle treat,
  handler listener, hide conceal, identical same, ignore skip, immediately instantly, implement realise, implementation realisation, import load, improve better, include contain,
  incorrect wrong, increase raise, indicate show, initial first, input entry, insert put, inside within, install set, instance object, instead rather, internal inner, invalid wrong,
  invoke call, item element, join combine, keep retain, key name, large big, length size, limit bound, line row, link connect, list enumerate, listen wait, load read, location place,
  lock hold, log record, match fit, maximum most, memory storage, merge unite, message text, method way, minimum least, missing absent, modify alter, multiple several, name title,
  necessary needed, new fresh, notify tell, number count, object thing, obtain get, occur happen, old former, omit leave, open unlock, operation action, option setting, optional voluntary,
  order sequence, original first, output result, overwrite replace, package library, pair couple, parameter argument, parse interpret, part piece, pass hand, password secret, path route,
  perform do, performance speed, permission right, possible feasible, prefix beginning, prevent stop, previous earlier, print output, problem trouble, process handle, program application,
  property attribute, provide offer, query question, quick fast, raise throw, range span, read load, receive get, recommended advised, record entry, reduce lower, reference pointer,
  register enrol, reject refuse, release free, remove delete, rename relabel, replace substitute, report tell, represent stand, request ask, require need, required needed, reset restore,
  resolve settle, response answer, restart relaunch, result outcome, retrieve fetch, return yield, reverse invert, run execute, safe secure, save store, search look, security safety,
  select choose, send transmit, separate apart, sequence series, server host, set assign, share divide, show display, similar alike, simple easy, single one, size length, skip omit, slow sluggish,
  small little, source origin, specific particular, specified given, specify state, speed pace, split divide, standard norm, start begin, state condition, stop halt, store save, stream flow,
  string text, structure shape, submit send, support handle, supported possible, switch change, symbol sign, synchronous blocking, system machine, table grid, target goal, task job,
  terminate end, test check, text writing, throw raise, time moment, timeout deadline, tool utility, transfer move, transform convert, trigger cause, type kind, undefined unset, unique single,
  unknown unfamiliar, update refresh, upload send, usage use, user person, usual common, valid correct, value content, variable quantity, verify check, version release, view look, visible shown,
  wait pause, warning caution, whole entire, width breadth, wrap enclose, write put, wrong false`;

export const synonyms = new Map(pairs.split(',').map((pair) => pair.trim().split(/\s+/) as [string, string]));
