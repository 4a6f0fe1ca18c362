// A bot of your own in JavaScript, without packages: liarsdice simulate --bots "exec:node examples/bot.mjs,threshold"
// Each line of standard input is a message, and so is each line of standard output. For your own notes use console.error.

import { createInterface } from 'node:readline';

const say = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  if (message.type === 'hello') say({ type: 'hello', protocol: 1 });
  if (message.type === 'view') say({ type: 'action', number: message.number, action: act(message.view) });
  if (message.type === 'goodbye') break;
}

/** One of the moves that the view lists; out of turn null lets the bid stand. */
function act(view) {
  if (view.turn !== view.seat) return null;
  const standing = view.bids.at(-1)?.[1];
  const doubtful = standing && standing.quantity > expected(view, standing.face) + 1;
  if (view.may_bid.length === 0 || (doubtful && view.may_challenge)) return { type: 'challenge' };
  const margin = (bid) => Math.min(expected(view, bid.face) - bid.quantity, 0);
  return view.may_bid.reduce((best, bid) => (margin(bid) > margin(best) ? bid : best));
}

/** How many dice of a face there are likely to be, wild ones included. */
function expected(view, face) {
  const { faces, special_face } = view.ruleset.dice;
  const counting = new Set(view.wilds_count ? [face, special_face] : [face]);
  const mine = view.hand.filter((die) => counting.has(die)).length;
  const unseen = view.dice.reduce((sum, held, seat) => (seat === view.seat ? sum : sum + held), 0);
  return mine + (unseen * counting.size) / faces;
}
