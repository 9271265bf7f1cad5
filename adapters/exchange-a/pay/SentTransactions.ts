/**
 * The transfers that the solver's account has sent on exchange A, from its ledger (EXCHANGEA-23).
 *
 * The exchange counts nothing: a nonce is a time. So sequences are nonces, and heights are seconds of its clock. All that
 * was signed by now has a nonce below `pendingSequence`, and once `finalSequence` has passed it, none of it can still
 * appear: because of its age, or because a hundred higher nonces were used (`useUp`).
 */
import { Effect, Layer } from "effect"
import { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import { SentTransactions } from "../../../ports/chain/SentTransactions.ts"
import { NonceMappings } from "../../../ports/store/clients/NonceMappings.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { lowestOpenNonce, MOST_AHEAD } from "../../../src/domain/families/exchange-a/payment/NonceRules.ts"
import { readPosition, sentBetween } from "../../endpoints/sent/SentRead.ts"
import { readMillis } from "../observe/ReadTime.ts"
import { ExchangeARpc } from "../rpc/ExchangeARpc.ts"
import type { ExchangeARead } from "../rpc/ExchangeARpc.ts"
import { transferReads } from "./ReadTransfers.ts"
import { readPage } from "./ledger/LedgerPage.ts"
import { readOwn } from "./ledger/OwnTransactions.ts"
import { SolverAccount } from "./SolverAccount.ts"
import { confirmedTime } from "./NonceTime.ts"
import { submitNothing } from "./UseUp.ts"

/** Milliseconds of the ledger that show how far nonces are used. Less than all of it only finds fewer of them. */
const RECENT = 3_600_000n

/** The newest second that is over (EXCHANGEA-9). `now` in milliseconds. */
const lastSecond = (now: bigint): bigint => now / 1_000n - 1n

export const layer = Layer.effect(
  SentTransactions,
  Effect.gen(function*() {
    const rpc = yield* ExchangeARpc
    const mappings = yield* NonceMappings
    const solver = yield* SolverAccount
    const { account } = solver
    const { readList, readOne } = transferReads(mappings, solver)

    const read = <A>(chain: Chain, operation: string, of: ExchangeARead<A>) =>
      rpc.call(chain, operation, (client) => client.read(of))

    return SentTransactions.of({
      accountsOn: () => [account],
      position: (chain, _, by) =>
        readPosition(rpc, chain, by, (client) =>
          client.read(Effect.fnUntraced(function*(endpoint, deadline) {
            const now = yield* readMillis(endpoint, deadline)
            const recent = { from: now - RECENT, to: now + RECENT }
            const page = yield* readPage(endpoint, { of: account, sender: account }, recent, deadline)
            // A full page may be of strangers. What is missing from the account's own list only takes more of them.
            const own = page.isFull ? yield* readOwn(endpoint, account, deadline) : []
            const lowest = lowestOpenNonce(now, [...new Set([...page.sent, ...own].map(({ nonce }) => nonce))])
            const height = lastSecond(now)
            return {
              counted: false,
              height,
              finalHeight: height,
              sequence: lowest,
              pendingSequence: now + MOST_AHEAD + 1n,
              // A payment's nonce is the clock's. Until the clock has passed those that were used up, none would be taken.
              finalSequence: lowest < now ? lowest : 0n
            }
          }))),
      lastBlockBefore: (chain, time) =>
        Effect.map(read(chain, "head", readMillis), (now) => {
          const [before, head] = [BigInt(Math.ceil(time / 1_000)) - 1n, lastSecond(now)]
          return before < head ? before : head
        }),
      find: (chain, id) => read(chain, "a transfer of the account", readOne(chain, id)),
      between: Effect.fnUntraced(function*(chain, from, to, by) {
        const sent = yield* sentBetween(rpc, chain, by, {
          range: [from, to],
          list: (client) => client.read(readList(chain, from, to)),
          find: (client, id) => client.read(readOne(chain, id))
        })
        // SECURITY: it may have paid any order. To leave it out would be to pay that order again.
        const isUnknown = sent.some(({ movesNothing, nameless, payment }) =>
          payment === undefined && nameless === undefined && !movesNothing
        )
        return by === "quorum" && isUnknown
          ? yield* new ChainUnavailable({ chain: chain.slug, operation: "orders of transfers", kind: "misconfigured" })
          : sent
      }),
      useUp: Effect.fnUntraced(function*(chain, _account, sequence) {
        yield* submitNothing(rpc, solver, chain, { now: yield* confirmedTime(rpc, chain), sequence })
      })
    })
  })
)
