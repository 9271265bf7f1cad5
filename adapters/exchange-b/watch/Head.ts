/**
 * The clock of exchange B as a chain (EXCHANGEB-7): its lists name no blocks, so its seconds take their place. A second
 * counts once the exchange's clock is beyond it. Everything that the exchange shows as executed is final.
 */
import { Effect } from "effect"
import type { Cursor, Head, Heads } from "../../../ports/chain/DepositWatcher.ts"
import type { BlockRef } from "../../../src/domain/evidence/BlockRef.ts"
import type { ReadFault } from "../../quorum/ReadFault.ts"
import { readTime } from "../observe/ReadTransaction.ts"
import type { ExchangeBClient } from "../rpc/ExchangeBClient.ts"

/** A second as a height. There is only one history, so a height has one name. */
export const cursorAt = (second: number): Cursor => ({ height: BigInt(second), hash: `${second}` })

export const blockAt = (second: number): BlockRef => ({ ...cursorAt(second), time: second })

/** False for a cursor that another version, or another family, has left. */
export const isSecond = ({ hash, height }: Cursor): boolean => hash === `${height}`

/** The newest second that is over. */
export const readHead = (client: ExchangeBClient, deadline: number): Effect.Effect<Head, ReadFault> =>
  Effect.map(readTime(client, deadline), (now) => blockAt(now - 1))

export const headsOf = ({ hash, height }: Head): Heads => ({ hash, height, finalHeight: height })
