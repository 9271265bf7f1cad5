/** Evidence of exchange B: transfers under the quorum of its endpoints (EXCHANGEB-1, QUORUM-1). */
import { Context, Effect, Layer } from "effect"
import type { Redacted } from "effect"
import { ChainObserver } from "../../../ports/chain/ChainObserver.ts"
import type { OpenClient } from "../../quorum/Endpoints.ts"
import { makeObserver } from "../../quorum/Observing.ts"
import type { FamilyQuorums } from "../../quorum/Observing.ts"
import { makeExchangeBClient } from "../rpc/ExchangeBClient.ts"
import type { ExchangeBClient } from "../rpc/ExchangeBClient.ts"
import { readTime, readTransaction } from "./ReadTransaction.ts"

/** The endpoints of every chain of the family, and their API key. */
export class ExchangeBQuorums extends Context.Service<
  ExchangeBQuorums,
  FamilyQuorums & {
    readonly key?: Redacted.Redacted
  }
>()("causeway/adapters/exchange-b/ExchangeBQuorums") {}

export const openClient = ({ key }: ExchangeBQuorums["Service"]): OpenClient<ExchangeBClient> => (url) =>
  makeExchangeBClient(url, key)

export const layer = Layer.effect(
  ChainObserver,
  Effect.flatMap(ExchangeBQuorums, (quorums) =>
    makeObserver({
      read: readTransaction,
      isOn: (rpc, _chain, deadline) => Effect.as(readTime(rpc, deadline), true),
      open: openClient(quorums)
    }, quorums))
)
