// Lets the event loop run between short pieces of work without I/O, such as scripted turns and handlers [N4]. workerd polls its sockets
// only when nothing in the process is ready: a local server with 20 busy runs accepted no connection for 12 s (bench/map.ts). When many
// runs are active, each piece waits for the event loop; a single run waits at every eighth piece.

/** About 3 ms of steps. */
const MOST = 8
const MOST_MS = 5

/** Pieces of this isolate since its event loop last had a turn, and how long those took that were timed. */
let count = 0
let spent = 0

/** Must be called before each piece. `turn` resolves when the event loop has run; `pieces`: the weight of the piece. */
export async function giveTurn(turn: () => Promise<void>, pieces = 1): Promise<void> {
  count += pieces
  if (count < MOST && spent < MOST_MS) return
  await turn()
  hadTurn()
}

/** Call when the event loop has run by itself, because something came through a socket. */
export function hadTurn(): void {
  count = 0
  spent = 0
}

/** Call after a piece, with the time for which it blocked the thread. */
export function heldThread(ms: number): void {
  spent += ms
}
