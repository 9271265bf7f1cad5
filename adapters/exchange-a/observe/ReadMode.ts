/** The mode of an account of exchange A, as one endpoint names it (EXCHANGEA-36). */
import { Effect, Schema } from "effect"
import type { ReadFault } from "../../quorum/ReadFault.ts"
import type { ExchangeAClient } from "../rpc/ExchangeAClient.ts"
import { undecodable } from "./ReadTime.ts"

/** A name, so that it can be shown to operators. */
const decodeName = Schema.decodeUnknownEffect(Schema.String.check(Schema.isPattern(/^[A-Za-z]{1,40}$/)))

/** The name of an account's mode, known or not. */
export const readModeName = (
  client: ExchangeAClient,
  user: string,
  deadline: number
): Effect.Effect<string, ReadFault> =>
  Effect.flatMap(client.info({ type: "userAbstraction", user }, deadline), (said) => undecodable(decodeName(said)))
