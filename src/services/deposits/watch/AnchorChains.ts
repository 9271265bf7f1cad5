/**
 * Sees to it that scans have begun on every served chain before a quote's order exists: its deposit may come on any of
 * them (QUOTE-9).
 *
 * A chain that no endpoint shows must not stop quotes of others. They wait for it once, and it is anchored in the
 * background as soon as it can be read. Not for the worker, whose scans anchor their chains themselves.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Semaphore from "effect/Semaphore"
import { Chains } from "../../../../ports/chain/Chains.ts"
import { ChainUnavailable } from "../../../../ports/chain/ChainUnavailable.ts"
import { Deposits } from "../../../../ports/store/orders/Deposits.ts"
import type { Chain } from "../../../domain/chain/Chain.ts"
import type { ChainId } from "../../../domain/chain/ChainId.ts"
import { retryForever } from "../../polling/RetryForever.ts"
import { anchorChain } from "./AnchorChain.ts"

/** How long a quote waits for a chain that is not its own. More than one endpoint may take that does not answer. */
const PATIENCE = Duration.seconds(10)

/**
 * Returns what a quote awaits. It fails when its origin or the store cannot be read. Once all is anchored it takes no
 * step: this process remembers what the store has.
 */
export const makeAnchors = Effect.gen(function*() {
  const { all } = yield* Chains
  const scope = yield* Effect.scope
  const turn = yield* Semaphore.make(1)
  const anchored = new Set<ChainId>()
  /** Those that are anchored in the background. */
  const late = new Set<ChainId>()

  const anchor = Effect.fnUntraced(function*(chain: Chain) {
    if ((yield* (yield* Deposits).cursor(chain.id)) === undefined) yield* anchorChain(chain)
    anchored.add(chain.id)
  })

  const leaveForLater = Effect.fnUntraced(function*(chain: Chain, { message }: ChainUnavailable) {
    late.add(chain.id)
    yield* Effect.logWarning(`quotes do not wait for ${chain.slug}, whose scans begin once it can be read: ${message}`)
    yield* anchor(chain).pipe(retryForever(`beginning of scans on ${chain.slug}`), Effect.forkIn(scope))
  })

  const anchorOrLeave = (chain: Chain) =>
    anchor(chain).pipe(
      Effect.timeoutOrElse({
        duration: PATIENCE,
        orElse: () => Effect.fail(new ChainUnavailable({ chain: chain.slug, operation: "head", kind: "timeout" }))
      }),
      Effect.catchTag("ChainUnavailable", (error) => leaveForLater(chain, error))
    )

  const isMissing = ({ id }: Chain): boolean => !anchored.has(id) && !late.has(id)

  // One at a time: quotes that ask meanwhile need nothing more after it. SECURITY: it goes on when its client leaves.
  // Otherwise strangers who ask and leave, one after the other, could hold up all quotes for as long as a chain is silent.
  const anchorOthers = Effect.suspend(() =>
    Effect.forEach(all.filter(isMissing), anchorOrLeave, { concurrency: "unbounded", discard: true })
  ).pipe(turn.withPermits(1), Effect.forkIn(scope), Effect.flatMap(Fiber.join))

  return Effect.fnUntracedEager(function*(origin: Chain) {
    if (!anchored.has(origin.id)) yield* anchor(origin)
    if (all.some(isMissing)) yield* anchorOthers
  })
})
