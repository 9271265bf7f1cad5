/**
 * Reads the facts of a chain's configuration under the quorum of its endpoints, for any family that defines how one
 * endpoint is asked. All are asked at once. The reading ends when enough of them have said the same.
 *
 * SECURITY: an answer counts when as many hosts as the quorum needs give it. Services that read one endpoint at a time
 * (`quorum: "those that answer"`) need more than half of the hosts that answered for this chain, so that a host that is
 * down does not block the others.
 */
import { Effect, Queue } from "effect"
import type { Scope } from "effect"
import { ChainUnavailable } from "../../ports/chain/ChainUnavailable.ts"
import type { ChainFacts } from "../../ports/chain/ChainFacts.ts"
import type { Chain } from "../../src/domain/chain/Chain.ts"
import type { ChainId } from "../../src/domain/chain/ChainId.ts"
import { identityOf } from "../../src/domain/configuration/Network.ts"
import type { Ask } from "../../src/domain/configuration/Expectation.ts"
import { agreeOnTexts } from "../../src/domain/quorum/AgreeOnTexts.ts"
import type { HostSays } from "../../src/domain/quorum/AgreeOnTexts.ts"
import { countFault, openEndpoints } from "./Endpoints.ts"
import type { Endpoint, ObservedEndpoints, OpenClient } from "./Endpoints.ts"
import type { ReadFault } from "./ReadFault.ts"

/** How one endpoint of a family is asked about the configuration. The family's whole part in the check. */
export interface FamilyCheck<Client> {
  readonly open: OpenClient<Client>
  /** One text for each question, in the same order. `deadline`: milliseconds, for one request. */
  readonly read: (
    client: Client,
    chain: Chain,
    asked: ReadonlyArray<Ask>,
    deadline: number
  ) => Effect.Effect<ReadonlyArray<string>, ReadFault>
}

/** The endpoints that a chain's configuration is checked with. */
export interface CheckedEndpoints extends ObservedEndpoints {
  /** "those that answer": when no number is configured, and a single endpoint is trusted with everything else too. */
  readonly decides: "quorum" | "those that answer"
}

/** Deadline of one request to one endpoint, milliseconds. A quote may wait for it. */
const DEADLINE_MS = 2_500

/** An endpoint's answers. Undefined when it does not answer. */
type Heard = HostSays | undefined

const ask = <Client>(
  { read }: FamilyCheck<Client>,
  { host, rpc }: Endpoint<Client>,
  chain: Chain,
  asked: ReadonlyArray<Ask>
): Effect.Effect<Heard> =>
  read(rpc, chain, asked, DEADLINE_MS).pipe(
    Effect.map((said): Heard => ({ host, said })),
    Effect.catch((fault) => Effect.as(countFault(chain.slug, host, fault), undefined))
  )

/** The hosts on the right chain. When none is, all of them: then the wrong chain is the finding. */
const onChain = (chain: Chain, asked: ReadonlyArray<Ask>, heard: ReadonlyArray<HostSays>): ReadonlyArray<HostSays> => {
  const at = asked.findIndex(({ _tag }) => _tag === "Network")
  const right = at < 0 ? heard : heard.filter(({ said }) => said[at] === identityOf(chain))
  return right.length === 0 ? heard : right
}

/** The subject of a question, for operators. */
const namedBy = (asked: Ask): string =>
  asked._tag === "Network"
    ? "which chain it is"
    : `${asked._tag === "Call" ? asked.call.signature : asked._tag.toLowerCase()} of ${asked.of}`

const hostsIn = (answers: ReadonlyArray<HostSays>): number => new Set(answers.map(({ host }) => host)).size

/** The port over a family's endpoints. The scope closes their connections. */
export const makeFacts = Effect.fnUntraced(function*<Client>(
  family: FamilyCheck<Client>,
  of: ReadonlyMap<ChainId, CheckedEndpoints>
): Effect.fn.Return<ChainFacts["Service"], never, Scope.Scope> {
  const opened = new Map(
    yield* Effect.forEach(
      [...of],
      ([id, endpoints]) =>
        Effect.map(
          openEndpoints(endpoints, family.open),
          ({ all, quorum }) => [id, { all, quorum, decides: endpoints.decides }] as const
        )
    )
  )

  const read = Effect.fnUntraced(
    function*(
      chain: Chain,
      asked: ReadonlyArray<Ask>
    ): Effect.fn.Return<ReadonlyArray<string>, ChainUnavailable, Scope.Scope> {
      const unavailable = (kind: ChainUnavailable["kind"], about = "") =>
        new ChainUnavailable({ chain: chain.slug, operation: `comparing the configuration${about}`, kind })
      const known = opened.get(chain.id)
      if (known === undefined) return yield* unavailable("not-served")
      const answers = yield* Queue.unbounded<Heard>()
      yield* Effect.forEach(
        known.all,
        (endpoint) =>
          Effect.forkScoped(
            Effect.flatMap(ask(family, endpoint, chain, asked), (heard) => Queue.offer(answers, heard))
          ),
        { discard: true }
      )
      const heard: Array<HostSays> = []
      for (let left = known.all.length; left > 0; left -= 1) {
        const answer = yield* Queue.take(answers)
        if (answer !== undefined) {
          heard.push(answer)
        }
        const agreed = agreeOnTexts(heard, known.quorum.needed)
        if (agreed !== undefined) {
          return agreed
        }
      }
      const voices = onChain(chain, asked, heard)
      const agreed = known.decides === "quorum" || voices.length === 0
        ? undefined
        : agreeOnTexts(voices, Math.floor(hostsIn(voices) / 2) + 1)
      // Endpoints that disagree are no quorum: the chain is not trusted until they agree.
      if (agreed !== undefined) return agreed
      const divided = asked.find((_, at) => new Set(voices.map(({ said }) => said[at])).size > 1)
      return yield* divided === undefined
        ? unavailable(heard.length === 0 ? "unreachable" : "behind")
        : unavailable("divided", `: ${namedBy(divided)}`)
    },
    (reading, _chain, _asked) => Effect.scoped(reading)
  )

  return { read }
})
