/** The exchange's own time, according to one endpoint. */
import { Effect, Schema } from "effect"
import type { ReadFault } from "../../quorum/ReadFault.ts"
import { StatusAnswer } from "../decode/NodeAnswers.ts"
import type { ExchangeAClient } from "../rpc/ExchangeAClient.ts"

const decodeStatus = Schema.decodeUnknownEffect(StatusAnswer)

export const undecodable = Effect.mapError((): ReadFault => "undecodable")

export const readMillis = (rpc: ExchangeAClient, deadline: number): Effect.Effect<bigint, ReadFault> =>
  rpc.info({ type: "exchangeStatus" }, deadline).pipe(
    Effect.flatMap((said) => undecodable(decodeStatus(said))),
    Effect.map(({ time }) => BigInt(time))
  )

/** Seconds. */
export const readTime = (rpc: ExchangeAClient, deadline: number): Effect.Effect<number, ReadFault> =>
  Effect.map(readMillis(rpc, deadline), (milliseconds) => Number(milliseconds / 1_000n))
