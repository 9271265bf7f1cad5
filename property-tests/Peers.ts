/**
 * Laws of the agreement of peers (PEER-2). Which signatures count is decided by what they sign and which account they
 * recover to, not by what a peer says about them.
 *
 * Stand-in signatures contain the signer and the digest, so forging, replaying and swapping them is cheap to test.
 */
import * as Brand from "effect/Brand"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import type { Address } from "../src/domain/chain/Address.ts"
import { type Hex, type Hex32, hexFromBytes } from "../src/domain/encoding/Hex.ts"
import type { ExecutionSignature, PeerExecution } from "../src/domain/quorum/ExecutionSignature.ts"
import type { collectSignatures, LocalAssessment, PeerAnswer } from "../src/domain/quorum/PeerSignatures.ts"
import type { makePeerPolicy, PeerPolicy } from "../src/domain/quorum/PeerThreshold.ts"
import { type Execution, executionDigest, type ExecutionDomain } from "../src/domain/hub/Execution.ts"
import { account, word } from "./EvidenceChains.ts"
import { type Law, law, must } from "./Law.ts"

/** The agreement of peers under test. */
export interface PeerImplementation {
  readonly collectSignatures: typeof collectSignatures
  readonly makePeerPolicy: typeof makePeerPolicy
}

const asAddress = Brand.nominal<Address>()
const asHex = Brand.nominal<Hex>()

/** A digest and the account that signed it. */
const standIn = (digest: string, signer: Address): Hex => asHex(`0x${digest}${signer.slice(2)}`)

const digits = (digest: Uint8Array): string => hexFromBytes(digest).slice(2)

const recover = (digest: Uint8Array, signature: Hex): Result.Result<Address, string> =>
  signature.slice(2, 66) === digits(digest)
    ? Result.succeed(asAddress(`0x${signature.slice(66)}`))
    : Result.fail("another digest")

const signer = (number: number): Address => account("ethereum-vm", number)

const domain = (chainId: bigint, contract: number): ExecutionDomain => ({
  name: "RelayOracle",
  version: "1",
  chainId,
  verifyingContract: account("ethereum-vm", contract)
})

/** Two hubs of ours, and a foreign one. */
const ours = [domain(1n, 201), domain(2n, 202)]
const foreign = domain(1n, 203)

const action = (number: number): Hex32 => word(1_000 + number)
const execution: Execution = { idempotencyKey: word(1), actions: [action(1), action(2)] }

/** Executions that a peer may have assessed: ours, or near misses. */
const assessed: ReadonlyArray<Execution> = [
  execution,
  { ...execution, idempotencyKey: word(2) },
  { ...execution, actions: [action(2), action(1)] },
  { ...execution, actions: [action(1)] },
  { ...execution, actions: [action(1), action(2), action(2)] },
  { ...execution, actions: [action(1), action(3)] }
]

/** A cache: digests are requested repeatedly, and cost more than everything else here. */
const digests = new Map<string, string>()
const digestOf = (of: ExecutionDomain, what: Execution): string => {
  const key = JSON.stringify([of.chainId.toString(), of.verifyingContract, what.idempotencyKey, what.actions])
  const digest = digests.get(key) ?? digits(Result.getOrThrow(executionDigest(of, what)))
  digests.set(key, digest)
  return digest
}

const signed = (of: ExecutionDomain, what: Execution, by: Address, claims: Address = by): ExecutionSignature => ({
  oracleChainId: of.chainId.toString(),
  oracleContract: asAddress(of.verifyingContract),
  oracleSigner: claims,
  signature: standIn(digestOf(of, what), by)
})

/** Signatures by the given signers, over any execution, for any hub, possibly claiming another signer. */
const anySignature = (signers: fc.Arbitrary<number>): fc.Arbitrary<ExecutionSignature> =>
  fc.record({
    claimed: fc.constantFrom(...ours, ...ours, foreign),
    made: fc.option(fc.constantFrom(...ours, foreign), { nil: undefined, freq: 4 }),
    what: fc.oneof({ weight: 4, arbitrary: fc.constant(execution) }, {
      weight: 1,
      arbitrary: fc.constantFrom(...assessed)
    }),
    by: signers,
    claims: fc.option(fc.integer({ min: 0, max: 5 }), { nil: undefined, freq: 4 })
  }).map(({ by, claimed, claims, made, what }) => ({
    ...signed(made ?? claimed, what, signer(by), signer(claims ?? by)),
    oracleChainId: claimed.chainId.toString(),
    oracleContract: asAddress(claimed.verifyingContract)
  }))

const anySigner = fc.integer({ min: 0, max: 5 })

/** The signatures of a peer. Most peers answer for one signer, as they should. */
const anySignatures: fc.Arbitrary<ReadonlyArray<ExecutionSignature>> = fc.oneof(
  { weight: 3, arbitrary: anySigner.chain((one) => fc.array(anySignature(fc.constant(one)), { maxLength: 4 })) },
  { weight: 2, arbitrary: fc.array(anySignature(anySigner), { maxLength: 4 }) }
)

const anyAnswer: fc.Arbitrary<PeerAnswer> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      peer: fc.constantFrom("one", "two", "three"),
      shadow: fc.boolean(),
      what: fc.oneof({ weight: 3, arbitrary: fc.constant(execution) }, {
        weight: 2,
        arbitrary: fc.constantFrom(...assessed)
      }),
      signatures: anySignatures
    }).map(({ peer, shadow, signatures, what }): PeerAnswer => {
      const execution: PeerExecution = { ...what, signatures }
      return { _tag: "Answered", peer, shadow, execution }
    })
  },
  {
    weight: 1,
    arbitrary: fc.record({
      _tag: fc.constant("Failed" as const),
      peer: fc.constant("four"),
      shadow: fc.boolean(),
      why: fc.constantFrom(
        "timeout" as const,
        "error" as const,
        "garbage" as const,
        "refused" as const,
        "unauthorized" as const
      )
    })
  }
)

const local: LocalAssessment = {
  execution,
  domains: ours,
  signatures: ours.map((each) => signed(each, execution, signer(0))),
  recover
}

const anyPolicy: fc.Arbitrary<PeerPolicy> = fc.record({
  allowed: fc.option(fc.subarray([0, 1, 2, 3, 4, 5]).map((numbers) => new Set(numbers.map(signer))), {
    nil: undefined
  }),
  threshold: fc.integer({ min: 1, max: 6 })
})

const anyAnswers = fc.array(anyAnswer, { maxLength: 6 })

const keyOf = (signature: ExecutionSignature): string =>
  `${signature.oracleSigner} ${signature.oracleChainId} ${signature.oracleContract}`

const hubOf = ({ oracleChainId, oracleContract }: ExecutionSignature): string => `${oracleChainId} ${oracleContract}`

const isEqual = (left: Execution, right: Execution): boolean =>
  JSON.stringify([left.idempotencyKey, left.actions]) === JSON.stringify([right.idempotencyKey, right.actions])

/** The signatures that should count, written directly from the spec. */
const expected = (policy: PeerPolicy, answers: ReadonlyArray<PeerAnswer>): ReadonlyArray<string> => {
  const genuine = answers.flatMap((answer) => {
    if (
      answer._tag === "Failed" || answer.shadow || answer.execution === undefined ||
      !isEqual(answer.execution, execution)
    ) return []
    const { signatures } = answer.execution
    return signatures.filter((each) => {
      // A peer with two signers on a hub counts for neither of them there.
      if (signatures.some((other) => hubOf(other) === hubOf(each) && other.oracleSigner !== each.oracleSigner)) {
        return false
      }
      const of = ours.find((hub) =>
        hub.chainId.toString() === each.oracleChainId && hub.verifyingContract === each.oracleContract
      )
      const isAllowed = policy.allowed === undefined || policy.allowed.has(each.oracleSigner)
      return of !== undefined && isAllowed && each.signature === signed(of, execution, each.oracleSigner).signature
    })
  })
  return [...new Set([...local.signatures, ...genuine].map(keyOf))].toSorted()
}

/** The laws of the agreement of peers (PEER-2). */
export const peerLaws = (peers: PeerImplementation): ReadonlyArray<Law> => [
  law(
    "exactly the genuine signatures under our execution, for our hubs, of allowed signers count, each once",
    fc.property(anyPolicy, anyAnswers, (policy, answers) => {
      const keys = peers.collectSignatures(local, policy, answers).signatures.map(keyOf)
      must(JSON.stringify(keys.toSorted()) === JSON.stringify(expected(policy, answers)), `counted ${keys.join("; ")}`)
    })
  ),
  law(
    "every signature that is returned recovers, for its hub and our execution, to the signer that it names",
    fc.property(anyPolicy, anyAnswers, (policy, answers) => {
      for (const each of peers.collectSignatures(local, policy, answers).signatures) {
        const of = ours.find((hub) =>
          hub.chainId.toString() === each.oracleChainId && hub.verifyingContract === each.oracleContract
        )
        must(of !== undefined, "a foreign hub")
        if (of === undefined) return
        must(each.signature === standIn(digestOf(of, execution), each.oracleSigner), "another signer or message")
      }
    })
  ),
  law(
    "signatures are sorted by signer, and answers in another order give the same ones",
    fc.property(
      anyPolicy,
      anyAnswers.chain((answers) =>
        fc.tuple(fc.constant(answers), fc.shuffledSubarray(answers, { minLength: answers.length }))
      ),
      (policy, [answers, shuffled]) => {
        const { signatures } = peers.collectSignatures(local, policy, answers)
        must(
          signatures.every((each, index) =>
            index === 0 || (signatures[index - 1]?.oracleSigner ?? "") <= each.oracleSigner
          ),
          "unsorted"
        )
        must(
          JSON.stringify(signatures) === JSON.stringify(peers.collectSignatures(local, policy, shuffled).signatures),
          "the order of the answers matters"
        )
      }
    )
  ),
  law(
    "a shadow is measured, and whether it is asked changes no signature",
    fc.property(anyPolicy, anyAnswers, (policy, answers) => {
      const all = peers.collectSignatures(local, policy, answers)
      const active = peers.collectSignatures(local, policy, answers.filter(({ shadow }) => !shadow))
      must(JSON.stringify(all.signatures) === JSON.stringify(active.signatures), "a shadow is returned")
      must(all.signaturesMissing === active.signaturesMissing, "a shadow counts")
      must(all.measured.length === answers.length, "an answer is not measured")
    })
  ),
  law(
    "what is missing to the threshold is counted on the hub with fewest signers, the local one among them",
    fc.property(anyPolicy, anyAnswers, (policy, answers) => {
      const collected = peers.collectSignatures(local, policy, answers)
      const fewest = Math.min(
        ...ours.map((hub) =>
          collected.signatures.filter((each) => each.oracleContract === hub.verifyingContract).length
        )
      )
      must(fewest >= 1, "the local signature is gone")
      must(collected.signaturesMissing === Math.max(0, policy.threshold - fewest), "another number")
    })
  ),
  law(
    "one more answer takes no signature away, and brings at most one signer a hub",
    fc.property(anyPolicy, anyAnswers, anyAnswer, (policy, answers, one) => {
      const before = new Set(peers.collectSignatures(local, policy, answers).signatures.map(keyOf))
      const after = peers.collectSignatures(local, policy, [...answers, one]).signatures
      const fresh = after.filter((each) => !before.has(keyOf(each)))
      must(after.length - fresh.length === before.size, "a signature was taken away")
      must(new Set(fresh.map(hubOf)).size === fresh.length, "two signers out of one answer")
    })
  ),
  law(
    "a threshold stands exactly when so many signers can come together",
    fc.property(
      fc.nat(6),
      fc.option(fc.subarray([0, 1, 2, 3, 4, 5])),
      fc.integer({ min: -1, max: 9 }),
      (count, numbers, threshold) => {
        const allowed = numbers === null ? undefined : new Set(numbers.map(signer))
        const others = numbers === null ? count : Math.min(count, numbers.filter((number) => number !== 0).length)
        const made = peers.makePeerPolicy(signer(0), count, allowed, threshold)
        must(Result.isSuccess(made) === (threshold >= 1 && threshold <= 1 + others), "possible or not")
      }
    )
  )
]
