// Runs short pieces of work that wait for nothing outside, such as scripted turns and handlers, at once, and gives the event loop a turn
// after a few of them [N4]. workerd polls its sockets only when nothing in the process is ready: a local server with 20 busy runs accepted
// no connection for 12 s (bench/map.ts). While many runs go on, each piece waits for a turn, and a run that is alone waits at every eighth.

/** About 3 ms of steps. */
const MOST = 8
const MOST_MS = 5

/** Pieces of this isolate since its event loop last had a turn, and how long those took that were timed. */
let count = 0
let spent = 0

/** Before the next piece begins. `turn` resolves when the event loop had a turn; `pieces`: how many of these the piece counts for. */
export async function giveTurn(turn: () => Promise<void>, pieces = 1): Promise<void> {
  count += pieces
  if (count < MOST && spent < MOST_MS) return
  await turn()
  hadTurn()
}

/** The event loop had a turn by itself: something came through a socket. */
export function hadTurn(): void {
  count = 0
  spent = 0
}

/** A piece held the thread for so long. */
export function heldThread(ms: number): void {
  spent += ms
}
