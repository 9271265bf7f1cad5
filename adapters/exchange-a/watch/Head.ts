/** The newest second of exchange A's clock that is over (EXCHANGEA-9). */
import { Effect } from "effect"
import { headAt } from "../../endpoints/clock/ClockAsChain.ts"
import { readTime } from "../observe/ReadTime.ts"
import type { ExchangeARead } from "../rpc/ExchangeARpc.ts"

export const readHead: ExchangeARead<ReturnType<typeof headAt>> = (client, deadline) =>
  Effect.map(readTime(client, deadline), headAt)
