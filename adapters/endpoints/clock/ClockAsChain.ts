/**
 * A clock as a chain, for exchanges, which name no blocks: seconds take the place of blocks. A second counts once the
 * exchange's clock is beyond it, and is then final.
 */
import type { Cursor, Head } from "../../../ports/chain/DepositWatcher.ts"
import type { BlockRef } from "../../../src/domain/evidence/BlockRef.ts"

/** A second as a height. There is only one history, so a height has one name. */
export const cursorAt = (second: number): Cursor => ({ height: BigInt(second), hash: `${second}` })

export const blockAt = (second: number): BlockRef => ({ ...cursorAt(second), time: second })

/** The newest second that is over. `now` in seconds. */
export const headAt = (now: number): Head => blockAt(now - 1)

/** False for a cursor that another version, or another family, has left. */
export const isSecond = ({ hash, height }: Cursor): boolean => hash === `${height}`

/** How deep a block is below the head. A block beyond the head is not final, and has one confirmation. */
export const depthBelow = ({ height: head }: Head, { height }: BlockRef) => ({
  confirmations: height <= head ? Number(head - height) + 1 : 1,
  final: height <= head
})
