/**
 * Adds signatures of peers to what this oracle signs (PEER-1). Peers are asked while this oracle reads the chain, each
 * once, and only for their own signature. The domain's rule decides which of them count. A peer's answer, or its
 * silence, never makes a request fail and never delays it beyond the timeout.
 *
 * Shadow peers are measured like the others, but no request waits for them.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Queue from "effect/Queue"
import type * as Redacted from "effect/Redacted"
import type * as Schema from "effect/Schema"
import { Peers } from "../../../ports/hub/Peers.ts"
import type { Peer, PeerQuestion } from "../../../ports/hub/Peers.ts"
import { Signatures } from "../../../ports/signing/Signatures.ts"
import type { Address } from "../../domain/chain/Address.ts"
import type { ExecutionSignature } from "../../domain/quorum/ExecutionSignature.ts"
import { collectingSignatures, isComplete } from "../../domain/quorum/PeerSignatures.ts"
import type { PeerAnswer, PeerFault } from "../../domain/quorum/PeerSignatures.ts"
import { makePeerPolicy } from "../../domain/quorum/PeerThreshold.ts"
import { AskedPeers } from "./AskedPeers.ts"
import type { Asked } from "./AskedPeers.ts"
import { countPeer, countPeerFromZero } from "./PeerMeter.ts"
import type { HubSignature, SignedExecution } from "./SignedExecution.ts"

/**
 * Most peer answers that may still be awaited, for measuring only, after their requests have ended. Beyond this limit
 * the requests to the peers are cancelled.
 */
const MAX_LINGERING = 128

/** Whose signatures count, and how many are waited for (PEER-6). */
export interface PeerRules {
  /** The signers that count besides the local one; undefined when every signer counts. */
  readonly allowed: ReadonlySet<Address> | undefined
  /**
   * Waiting ends as soon as this many signers have signed, including the local one. Undefined: all peers are waited
   * for.
   */
  readonly threshold: number | undefined
  /** Milliseconds that a peer has to answer, from when it is asked. */
  readonly timeoutMs: number
}

/** A request for an attestation that can carry signatures of peers. Its body is already decoded. */
export interface CosignedRequest {
  /** The endpoint's path. */
  readonly path: string
  readonly requestPeerSignatures: boolean | undefined
  /** The body as it was received. */
  readonly body: Effect.Effect<Readonly<Record<string, Schema.Json>>>
  readonly incomingKey: Redacted.Redacted | undefined
}

export class Cosigning extends Context.Service<Cosigning, {
  /**
   * Runs the attestation. Peers are asked by `askPeers` and their answers collected by `SignExecution`, if it gets that
   * far.
   */
  readonly alongside: (
    request: CosignedRequest
  ) => <A, E, R>(attestation: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}>()("causeway/services/attesting/Cosigning") {}

/** The same question, for the peer's own signature only, so the peer asks no peers of its own. */
const questionOf = ({ body, incomingKey, path }: CosignedRequest): Effect.Effect<PeerQuestion> =>
  Effect.map(body, (claim) => ({
    path,
    incomingKey,
    body: JSON.stringify({ ...claim, requestPeerSignatures: false })
  }))

interface Heard {
  readonly peer: Peer
  readonly answer: PeerAnswer
}

const failed = ({ isShadow, name }: Peer, why: PeerFault): PeerAnswer => ({
  _tag: "Failed",
  peer: name,
  shadow: isShadow,
  why
})

/** Always one answer, whatever the peer does, at the latest after the timeout. */
const ask = (peer: Peer, question: PeerQuestion, timeoutMs: number): Effect.Effect<PeerAnswer> =>
  peer.ask(question).pipe(
    // A peer that reports itself as a shadow is not relied on either.
    Effect.map(({ execution, isShadow }): PeerAnswer => ({
      _tag: "Answered",
      peer: peer.name,
      shadow: peer.isShadow || isShadow,
      execution
    })),
    Effect.catch(({ why }) => Effect.succeed(failed(peer, why))),
    Effect.timeoutOrElse({ duration: timeoutMs, orElse: () => Effect.succeed(failed(peer, "timeout")) }),
    Effect.catchDefect(() => Effect.succeed(failed(peer, "error")))
  )

const onTheWire = ({ contract, domain, signature, signer }: HubSignature): ExecutionSignature => ({
  oracleChainId: domain.chainId.toString(),
  oracleContract: contract,
  oracleSigner: signer,
  signature
})

/** Grouped by signer. One signer's signatures are in the order of the local ones, which is the order of the hubs. */
const hubSignatures = (
  local: SignedExecution,
  counted: ReadonlyArray<ExecutionSignature>
): ReadonlyArray<HubSignature> =>
  [...Map.groupBy(counted, ({ oracleSigner }) => oracleSigner).values()].flatMap((all) =>
    local.signatures.flatMap((own) => {
      const { oracleChainId, oracleContract } = onTheWire(own)
      const given = all.find((each) => each.oracleChainId === oracleChainId && each.oracleContract === oracleContract)
      return given === undefined ? [] : [{ ...own, signer: given.oracleSigner, signature: given.signature }]
    })
  )

/** Fails with `ImpossibleQuorum` when that many signers can never be reached. */
export const layer = ({ allowed, threshold, timeoutMs }: PeerRules) =>
  Layer.effect(
    Cosigning,
    Effect.gen(function*() {
      const { all } = yield* Peers
      const { recoverDigest } = yield* Signatures
      const scope = yield* Effect.scope
      const policy = yield* Effect.fromResult(
        makePeerPolicy(undefined, all.filter(({ isShadow }) => !isShadow).length, allowed, threshold)
      )
      yield* Effect.forEach(all, ({ isShadow, name }) => countPeerFromZero(name, isShadow), { discard: true })
      let lingering = 0
      const linger = (rest: Effect.Effect<void>) =>
        Effect.acquireUseRelease(
          Effect.sync(() => {
            lingering += 1
          }),
          () => rest,
          () =>
            Effect.sync(() => {
              lingering -= 1
            })
        )

      /**
       * The peers of one request. They are asked when `begin` runs; after `end` their answers no longer matter unless
       * they were already collected.
       */
      const makeAsking = Effect.fnUntraced(function*(request: CosignedRequest) {
        const answers = yield* Queue.unbounded<Heard>()
        let asked: ReadonlyArray<Fiber.Fiber<unknown>> | undefined
        let isHeard = false

        const begin = Effect.suspend(() => {
          if (asked !== undefined) return Effect.void
          asked = []
          return Effect.flatMap(questionOf(request), (question) =>
            Effect.forEach(all, (peer) =>
              Effect.forkIn(
                Effect.flatMap(ask(peer, question, timeoutMs), (answer) => Queue.offer(answers, { peer, answer })),
                scope
              ))).pipe(
              Effect.map((fibers) => {
                asked = fibers
              })
            )
        }).pipe(Effect.uninterruptible)

        const takeBack = Effect.suspend(() => asked === undefined ? Effect.void : Fiber.interruptAll(asked))

        const cosign: Asked["cosign"] = Effect.fnUntraced(function*(local) {
          yield* begin
          let collecting = collectingSignatures({
            execution: local,
            domains: local.signatures.map(({ domain }) => domain),
            signatures: local.signatures.map(onTheWire),
            recover: recoverDigest
          }, policy)
          const heard = new Set<Peer>()
          const hear = Effect.flatMap(Queue.takeAll(answers), (some) =>
            Effect.forEach(some, ({ answer, peer }) => {
              heard.add(peer)
              collecting = collecting.hear(answer)
              return countPeer(answer.peer, answer.shadow, collecting.measured.at(-1)?.outcome ?? "error")
            }, { discard: true }))
          const isOver = () =>
            (threshold !== undefined && isComplete(collecting)) || all.every((peer) => peer.isShadow || heard.has(peer))
          while (!isOver()) yield* hear
          const { signatures, signaturesMissing } = collecting

          isHeard = true
          if (heard.size === all.length || lingering >= MAX_LINGERING) yield* takeBack
          else {
            const rest = Effect.whileLoop({
              while: () => heard.size < all.length,
              body: () => hear,
              step: () => undefined
            })
            yield* Effect.forkIn(linger(rest), scope)
          }
          return {
            ...local,
            signatures: hubSignatures(local, signatures),
            ...(signaturesMissing > 0 ? { signaturesMissing } : {})
          }
        })

        return { cosign, begin, end: Effect.suspend(() => isHeard ? Effect.void : takeBack) }
      })

      return Cosigning.of({
        alongside: (request) => (attestation) =>
          request.requestPeerSignatures !== true || all.length === 0
            ? attestation
            : Effect.flatMap(
              makeAsking(request),
              ({ end, ...asked }) => attestation.pipe(Effect.provideService(AskedPeers, asked), Effect.ensuring(end))
            )
      })
    })
  )
