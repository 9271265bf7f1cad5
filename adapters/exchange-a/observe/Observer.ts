/**
 * Evidence of exchange A: transfers under the quorum of its endpoints (QUORUM-1). The order of each transfer comes from
 * the nonce mapping that its sender signed.
 */
import { Context, Effect, Layer } from "effect"
import type { Redacted } from "effect"
import { ChainObserver } from "../../../ports/chain/ChainObserver.ts"
import { Signatures } from "../../../ports/signing/Signatures.ts"
import { Address } from "../../../src/domain/chain/Address.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { soughtMapping, withMapping } from "../../../src/domain/families/exchange-a/evidence/MappedOrder.ts"
import type { Observation } from "../../../src/domain/evidence/TransactionEvidence.ts"
import type { OpenClient } from "../../quorum/Endpoints.ts"
import { makeObserver } from "../../quorum/Observing.ts"
import type { FamilyReader } from "../../quorum/AskEndpoints.ts"
import type { FamilyQuorums } from "../../quorum/Observing.ts"
import { makeExchangeAClient } from "../rpc/ExchangeAClient.ts"
import type { ExchangeAClient, KeyedService } from "../rpc/ExchangeAClient.ts"
import { HubMappings } from "./HubMappings.ts"
import { hintOf } from "./ReadLedger.ts"
import { readTransaction } from "./ReadTransaction.ts"
import { readTime } from "./ReadTime.ts"

/**
 * The endpoints of every chain of the family, and the proxy that is asked when the first endpoint's quota is used up.
 */
export class ExchangeAQuorums extends Context.Service<
  ExchangeAQuorums,
  FamilyQuorums & {
    readonly proxy?: KeyedService
  }
>()("causeway/adapters/exchange-a/ExchangeAQuorums") {}

/** SECURITY: at most one endpoint of a chain has the proxy behind it. */
export const openClient = ({ of, proxy }: ExchangeAQuorums["Service"]): OpenClient<ExchangeAClient> => {
  const first = new Set<Redacted.Redacted | undefined>([...of.values()].map(({ urls }) => urls[0]))
  return (url) => makeExchangeAClient(url, first.has(url) ? proxy : undefined)
}

const NOBODY = Address.make(`0x${"0".repeat(40)}`)

const readerOf = (quorums: ExchangeAQuorums["Service"]): FamilyReader<ExchangeAClient> => ({
  read: readTransaction,
  isOn: (rpc, _chain, deadline) => Effect.as(readTime(rpc, deadline), true),
  open: openClient(quorums),
  hintOf
})

export const layer = Layer.effect(
  ChainObserver,
  Effect.gen(function*() {
    const quorums = yield* ExchangeAQuorums
    const mappings = yield* HubMappings
    const { recoverDigest } = yield* Signatures
    const observer = yield* makeObserver(readerOf(quorums), quorums)
    /** A nonce without an owner. "No mapping" is an answer, and it shows that the key is accepted. */
    const answers = (chain: Chain) =>
      Effect.match(mappings.find(chain, NOBODY, 0n), { onSuccess: () => true, onFailure: () => false })
    const resolved = Effect.fnUntraced(function*(chain: Chain, seen: Observation) {
      const sought = soughtMapping(seen)
      if (sought === undefined) return seen
      return withMapping(seen, yield* mappings.find(chain, sought.wallet, sought.nonce), recoverDigest)
    })
    return ChainObserver.of({
      observe: (chain, ids, hints) =>
        Effect.flatMap(
          observer.observe(chain, ids, hints),
          (seen) => Effect.forEach(seen, (each) => resolved(chain, each), { concurrency: "unbounded" })
        ),
      health: (chain) =>
        mappings.isConfigured
          ? Effect.map(
            Effect.all([observer.health(chain), answers(chain)], { concurrency: 2 }),
            ([health, answering]) => ({ ...health, companions: [{ name: "mappings" as const, answering }] })
          )
          : observer.health(chain)
    })
  })
)
