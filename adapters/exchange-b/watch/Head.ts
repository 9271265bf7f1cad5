/** The newest second of exchange B's clock that is over (EXCHANGEB-7). */
import { Effect } from "effect"
import { headAt } from "../../endpoints/clock/ClockAsChain.ts"
import { readTime } from "../observe/ReadTransaction.ts"
import type { ExchangeBRead } from "../rpc/ExchangeBRpc.ts"

export const readHead: ExchangeBRead<ReturnType<typeof headAt>> = (client, deadline) =>
  Effect.map(readTime(client, deadline), headAt)
