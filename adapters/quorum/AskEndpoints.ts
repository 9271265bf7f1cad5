/**
 * Reads one transaction from all endpoints of a chain at once. Ends as soon as the answers so far decide. When they
 * only agree that nothing is final yet, the other endpoints get a short grace.
 */
import { Effect, Exit, Result } from "effect"
import type { Fiber, Schema } from "effect"
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

type Concluded = Result.Result<Agreement<Observation>, TooFewAnswers | EndpointsDisagree>

/**
 * Collects the answers of several endpoints, until they decide. A fiber for each endpoint tells its answer at once,
 * without a queue and a scope: an oracle does this for each attestation.
 */
const askSeveral = <Client>(
  reader: FamilyReader<Client>,
  { all, quorum }: OpenQuorum<Client>,
  { chain, deadlineMs, hint, id }: Asked
): Effect.Effect<Observation, TooFewAnswers | EndpointsDisagree> =>
  Effect.withFiber((asking) =>
    Effect.callback((resume) => {
      const run = Effect.runForkWith(asking.context)
      const heard: Array<Heard> = []
      const reads: Array<Fiber.Fiber<Heard>> = []
      let grace: Fiber.Fiber<void> | undefined
      let isOver = false

      const end = (): void => {
        isOver = true
        grace?.interruptUnsafe()
        for (const each of reads) each.interruptUnsafe()
      }

      const conclude = (agreed: Concluded): void => {
        end()
        resume(concluded(chain, agreed))
      }

      const hear = (answer: Heard): void => {
        heard.push(answer)
        const agreed = agreeSoFar(quorum, heard, all.length - heard.length)
        if (agreed !== undefined) return conclude(agreed)
        grace?.interruptUnsafe()
        const standing = heard.length < quorum.needed ? undefined : standingWithoutMissing(quorum, heard)
        if (standing === undefined) return
        grace = run(Effect.sleep(GRACE_MS))
        grace.addObserver((exit) => {
          if (Exit.isSuccess(exit) && !isOver) conclude(Result.succeed(standing))
        })
      }

      for (const endpoint of all) {
        const read = run(ask(reader, endpoint, chain, id, deadlineMs, hint))
        reads.push(read)
        read.addObserver((exit) => {
          if (isOver) return
          if (Exit.isSuccess(exit)) return hear(exit.value)
          // A defect of ours is no answer, as if the endpoint had failed: the others may still agree.
          run(Effect.logError(`${chain.slug}: reading an endpoint's answer failed with a defect`, exit.cause))
          hear({ host: endpoint.host, reading: undefined })
        })
      }
      // Also when the last answer decided before all were asked.
      if (isOver) end()
      return Effect.sync(end)
    })
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
