/**
 * Reads one transaction from all endpoints of a chain at once. Ends as soon as the answers so far decide. When they
 * only agree that nothing is final yet, the other endpoints get a short grace.
 */
import { Effect, Queue, Result } from "effect"
import type { Schema, Scope } from "effect"
import type { Chain } from "../../src/domain/chain/Chain.ts"
import type { TransactionId } from "../../src/domain/chain/TransactionId.ts"
import type { Observation } from "../../src/domain/evidence/TransactionEvidence.ts"
import type { Agreement } from "../../src/domain/quorum/AgreeOnEvidence.ts"
import { agreeAmong, agreeSoFar, standingWithoutMissing } from "../../src/domain/quorum/AgreeSoFar.ts"
import type { EndpointReading, Heard } from "../../src/domain/quorum/AgreeSoFar.ts"
import type { EndpointsDisagree, TooFewAnswers } from "../../src/domain/quorum/QuorumFailure.ts"
import { countFault, noteDissent } from "./Endpoints.ts"
import type { Endpoint, OpenClient, OpenQuorum } from "./Endpoints.ts"
import type { ReadFault } from "./ReadFault.ts"
import type { JsonRpc } from "./rpc/JsonRpc.ts"

/** How one endpoint of the family is read. Deadlines in milliseconds, for one request. */
export interface FamilyReader<Client = JsonRpc> {
  /** `verify` also asks for the chain's identity: the endpoint may have moved to another chain since the last check. */
  readonly read: (
    rpc: Client,
    chain: Chain,
    id: TransactionId,
    how: { readonly deadline: number; readonly verify: boolean; readonly hint?: string }
  ) => Effect.Effect<EndpointReading, ReadFault>
  /** Whether the endpoint answers, and is on this chain. */
  readonly isOn: (rpc: Client, chain: Chain, deadline: number) => Effect.Effect<boolean, ReadFault>
  readonly open: OpenClient<Client>
  /** A request's hint for the family as `read` gets it, without spaces. Missing for families without hints. */
  readonly hintOf?: (hint: Schema.Json) => string | undefined
}

/** How long the other endpoints are waited for when enough of them agree that there is no fact yet. */
const GRACE_MS = 250

const ask = <Client>(
  { read }: FamilyReader<Client>,
  endpoint: Endpoint<Client>,
  chain: Chain,
  id: TransactionId,
  deadline: number,
  hint: string | undefined
): Effect.Effect<Heard> =>
  read(endpoint.rpc, chain, id, { deadline, verify: !endpoint.verified, ...(hint === undefined ? {} : { hint }) }).pipe(
    Effect.map((reading): Heard => ({ host: endpoint.host, reading })),
    // Another node may answer at this address next.
    Effect.catch((fault) =>
      Effect.as(
        countFault(chain.slug, endpoint.host, fault),
        { host: endpoint.host, reading: undefined } satisfies Heard
      )
    ),
    Effect.tap(({ reading }) =>
      Effect.sync(() => {
        endpoint.verified = reading !== undefined
      })
    )
  )

/** What the quorum says, with its alarms. */
const concluded = (
  { slug }: Chain,
  agreed: Result.Result<Agreement<Observation>, TooFewAnswers | EndpointsDisagree>
): Effect.Effect<Observation, TooFewAnswers | EndpointsDisagree> => {
  if (Result.isSuccess(agreed)) {
    const { dissenting, evidence } = agreed.success
    return dissenting.length === 0 ? Effect.succeed(evidence) : Effect.as(noteDissent(slug, dissenting), evidence)
  }
  const { failure } = agreed
  return failure._tag === "EndpointsDisagree"
    ? Effect.andThen(Effect.logError(`${slug}: ${failure.message}: nothing is attested on it`), Effect.fail(failure))
    : Effect.fail(failure)
}

/** What is asked of every endpoint. */
interface Asked {
  readonly chain: Chain
  readonly id: TransactionId
  readonly deadlineMs: number
  readonly hint: string | undefined
}

/** Collects the answers of several endpoints, until they decide. */
const askSeveral = Effect.fnUntraced(
  function*<Client>(
    reader: FamilyReader<Client>,
    { all, quorum }: OpenQuorum<Client>,
    { chain, deadlineMs, hint, id }: Asked
  ): Effect.fn.Return<Observation, TooFewAnswers | EndpointsDisagree, Scope.Scope> {
    const answers = yield* Queue.unbounded<Heard>()
    yield* Effect.forEach(
      all,
      (endpoint) =>
        Effect.forkScoped(
          Effect.flatMap(ask(reader, endpoint, chain, id, deadlineMs, hint), (heard) => Queue.offer(answers, heard))
        ),
      { discard: true }
    )
    const heard: Array<Heard> = []
    let standing: Agreement<Observation> | undefined
    while (true) {
      const next = Queue.take(answers)
      const answer = yield* standing === undefined
        ? next
        : Effect.timeoutOrElse(next, {
          duration: GRACE_MS,
          orElse: () => Effect.succeed(undefined)
        })
      if (answer === undefined && standing !== undefined) return yield* concluded(chain, Result.succeed(standing))
      if (answer !== undefined) {
        heard.push(answer)
      }
      const agreed = agreeSoFar(quorum, heard, all.length - heard.length)
      if (agreed !== undefined) return yield* concluded(chain, agreed)
      standing = heard.length < quorum.needed ? undefined : standingWithoutMissing(quorum, heard)
    }
    // The scope cancels requests that have no answer by now.
  },
  (reading) => Effect.scoped(reading)
)

/** Asks all endpoints, and ends as soon as they decide. A single one is asked without a fiber of its own. */
export const askEndpoints = <Client>(
  reader: FamilyReader<Client>,
  open: OpenQuorum<Client>,
  asked: Asked
): Effect.Effect<Observation, TooFewAnswers | EndpointsDisagree> => {
  const [first, ...others] = open.all
  return first === undefined || others.length > 0
    ? askSeveral(reader, open, asked)
    : Effect.flatMap(
      ask(reader, first, asked.chain, asked.id, asked.deadlineMs, asked.hint),
      (heard) => concluded(asked.chain, agreeAmong(open.quorum, [heard]))
    )
}
