/**
 * Asks all oracles at once to sign an execution, and uses the first signatures that reach the gate's threshold.
 *
 * SECURITY: a signature counts when its oracle would execute exactly what we expect under our hub's domain, when it
 * recovers to the claimed signer, and when the gate knows that signer as an oracle. Oracles that hang are not waited
 * for.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import { HubGate } from "../../../ports/hub/HubGate.ts"
import { Oracles } from "../../../ports/hub/Oracles.ts"
import type { OracleAnswer } from "../../../ports/hub/Oracles.ts"
import type { Hub } from "../../../ports/hub/SettlingHub.ts"
import { Signatures } from "../../../ports/signing/Signatures.ts"
import type { Address } from "../../domain/chain/Address.ts"
import { collectingSignatures } from "../../domain/quorum/PeerSignatures.ts"
import type { LocalAssessment, MeasuredPeer, PeerAnswer, PeerOutcome } from "../../domain/quorum/PeerSignatures.ts"
import type { SignedCall } from "../../domain/hub/settling/Packing.ts"
import { countOracleAnswer } from "../operations/Meters.ts"
import type { Expected } from "./Evidence.ts"

/** For the complete answer of an oracle, with its peers' signatures. */
const DEADLINE = Duration.seconds(12)

/** Refusals that may change with time, or with an oracle's own configuration: worth asking again. */
const passing: ReadonlySet<string> = new Set([
  "not-found",
  "not-final",
  "unread",
  "unknown-chain",
  "wrong-chain",
  "malformed",
  "not-observed"
])

/**
 * Why there are too few signatures, a word for operators. `oracles-refuse`: every oracle refuses, and not because it is
 * too early.
 */
export type Shortage = "oracles-not-yet" | "oracles-refuse" | "oracles-unavailable" | "signatures-missing"

/** A call that the gate accepts, or why there are too few signatures. */
export type Gathered =
  | { readonly _tag: "Signed"; readonly call: SignedCall }
  | { readonly _tag: "Short"; readonly why: Shortage }

type Heard = OracleAnswer | { readonly _tag: "Failed"; readonly why: "timeout" }

/**
 * One per signature: an oracle's answer also has its peers' signatures. Nobody has to trust it about them: each
 * signature recovers to its signer, whom the gate knows.
 */
const answersOf = (peer: string, heard: Heard): ReadonlyArray<PeerAnswer> => {
  if (heard._tag !== "Attested") {
    return [{
      _tag: "Failed",
      peer,
      shadow: false,
      why: heard._tag === "Failed" && heard.why === "timeout" ? "timeout" : "error"
    }]
  }
  const { execution, isShadow } = heard
  const given = execution.signatures.map((signature) => [signature])
  return (given.length === 0 ? [[]] : given).map((signatures) => ({
    _tag: "Answered",
    peer,
    shadow: isShadow,
    execution: { ...execution, signatures }
  }))
}

/** The value of an oracle's answer: that of its best signature. */
const outcomeOf = (measured: ReadonlyArray<MeasuredPeer>): PeerOutcome => {
  const [worth] = measured.filter(({ outcome }) => outcome === "agrees" || outcome === "already-counted")
  return worth?.outcome ?? measured.at(-1)?.outcome ?? "no-signature"
}

const wordOf = (heard: Exclude<Heard, { readonly _tag: "Attested" }>): string =>
  heard._tag === "Failed" ? heard.why : heard.reason ?? "refused"

/** A refusal without a known reason is no judgement of the claim. */
const isPassing = (heard: Heard): boolean =>
  heard._tag === "Refused" && (heard.reason === undefined || passing.has(heard.reason))

const shortageOf = (heard: ReadonlyArray<Heard>): Shortage => {
  if (heard.some(isPassing)) return "oracles-not-yet"
  if (heard.every(({ _tag }) => _tag === "Refused")) return "oracles-refuse"
  return heard.some(({ _tag }) => _tag === "Failed") ? "oracles-unavailable" : "signatures-missing"
}

/** The oracle as the gate names it. Undefined when the gate takes signatures only. */
const oracleOf = ({ form }: Hub, signer: Address | undefined): Address | undefined =>
  form?._tag === "Oracle" ? form.multisig ?? signer : undefined

const gather = Effect.fnUntraced(
  function*(hub: Hub, threshold: number, { claim, execution }: Expected): Effect.fn.Return<
    Gathered,
    Effect.Error<ReturnType<HubGate["Service"]["oraclesAmong"]>>,
    HubGate | Oracles | Scope.Scope | Signatures
  > {
    const oracles = yield* Oracles
    const gate = yield* HubGate
    const { recoverDigest } = yield* Signatures
    const local: LocalAssessment = { execution, domains: [hub.domain], signatures: [], recover: recoverDigest }
    const answers = yield* Queue.unbounded<{ readonly peer: string; readonly heard: Heard }>()
    yield* Effect.forEach(oracles.all, ({ ask, name }) =>
      ask(claim).pipe(
        Effect.timeoutOrElse({
          duration: DEADLINE,
          orElse: () => Effect.succeed<Heard>({ _tag: "Failed", why: "timeout" })
        }),
        Effect.flatMap((heard) => Queue.offer(answers, { peer: name, heard })),
        Effect.forkScoped
      ), { discard: true })
    const heard: Array<Heard> = []
    let collecting = collectingSignatures(local, { allowed: undefined, threshold })
    const known = new Map<Address, boolean>()
    while (heard.length < oracles.all.length) {
      const next = yield* Queue.take(answers)
      heard.push(next.heard)
      const answered = answersOf(next.peer, next.heard)
      for (const each of answered) collecting = collecting.hear(each)
      const { measured, signatures } = collecting
      yield* countOracleAnswer(
        next.peer,
        next.heard._tag === "Attested" ? outcomeOf(measured.slice(-answered.length)) : wordOf(next.heard)
      )
      const strange = signatures.map(({ oracleSigner }) => oracleSigner).filter((signer) => !known.has(signer))
      if (strange.length > 0) {
        const named = yield* gate.oraclesAmong(hub, strange)
        for (const signer of strange) known.set(signer, named.has(signer))
      }
      const counted = signatures.filter(({ oracleSigner }) => known.get(oracleSigner) === true)
      if (counted.length >= threshold) {
        const taken = counted.slice(0, threshold)
        const oracle = oracleOf(hub, taken[0]?.oracleSigner)
        return {
          _tag: "Signed",
          call: {
            ...execution,
            signatures: taken.map(({ signature }) => signature),
            ...(oracle === undefined ? {} : { oracle })
          }
        }
      }
    }
    return { _tag: "Short", why: shortageOf(heard) }
  }
)

/** Once there are enough signatures, open requests are cancelled. */
export const gatherSignatures = (hub: Hub, threshold: number, expected: Expected) =>
  Effect.scoped(gather(hub, threshold, expected))
