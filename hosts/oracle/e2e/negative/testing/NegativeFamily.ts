/**
 * The negative suite over a family's whole path: the facts of a world are written as the family's own bytes, served at
 * the wire, read by its adapter under a quorum, judged and signed. A family provides only the form of its facts.
 */
import { addressCodec, families } from "../../../../../src/domain/families/index.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Result } from "effect"
import type { Scope } from "effect"
import { judgeDeposits } from "../../../../../src/domain/evidence/judges/JudgeDeposits.ts"
import { judgeFill } from "../../../../../src/domain/evidence/judges/JudgeFill.ts"
import { judgeRefund } from "../../../../../src/domain/evidence/judges/JudgeRefund.ts"
import type { RefusalReason } from "../../../../../src/domain/evidence/judges/Refusal.ts"
import type { Observation } from "../../../../../src/domain/evidence/TransactionEvidence.ts"
import type { Chain } from "../../../../../src/domain/chain/Chain.ts"
import { ChainId, ChainSlug } from "../../../../../src/domain/chain/ChainId.ts"
import { Hex32 } from "../../../../../src/domain/encoding/Hex.ts"
import { accountOfKey, isSignedBy, signHash } from "../../../../../src/domain/encoding/Signature.ts"
import { type VmFamily, vmFamilies } from "../../../../../src/domain/chain/VmFamily.ts"
import { layer as signerLayer } from "../../../../../adapters/signing/LocalAttestationSigner.ts"
import { makeSignatures } from "../../../../../adapters/signing/LocalSignatures.ts"
import { nativeCurve } from "../../../../../adapters/signing/secp256k1/NativeCurve.ts"
import type { ChainObserver } from "../../../../../ports/chain/ChainObserver.ts"
import { Chains } from "../../../../../ports/chain/Chains.ts"
import { Hubs } from "../../../../../ports/hub/Hubs.ts"
import { Signatures } from "../../../../../ports/signing/Signatures.ts"
import { account, chainOf, type Signer, slug } from "../../../../../property-tests/EvidenceChains.ts"
import { makeWorld, routerOf, type World, type WorldPlan } from "../../../../../property-tests/EvidenceWorld.ts"
import { type NegativeCase, negativeCases, verdictOf, worldOf } from "../../../../../property-tests/NegativeSuite.ts"
import { shows } from "../../../../../scripts/testing/Shows.ts"
import { CheckedConfiguration } from "../../../../../src/services/operations/CheckedConfiguration.ts"
import { Attesting, layer as attestingLayer } from "../../../../../src/services/attesting/Attesting.ts"
import type { AttestFailure } from "../../../../../src/services/attesting/AttestFailure.ts"
import type { SignedExecution } from "../../../../../src/services/attesting/SignedExecution.ts"

export interface FamilyUnderTest {
  readonly family: VmFamily
  /** The family's observer over an endpoint that shows what was last given to `show`, and nothing else. */
  readonly open: (chains: ReadonlyArray<Chain>) => Effect.Effect<
    {
      readonly observer: Layer.Layer<ChainObserver>
      readonly show: (observations: ReadonlyArray<Observation>) => void
    },
    never,
    Scope.Scope
  >
  /** The same world with the ids of the family's bytes, where ids are computed from bytes. */
  readonly realize?: (world: World) => World
  /** Refusals that become other ones in the family's bytes, because those cannot express the fact. */
  readonly shownAs: Partial<Record<RefusalReason, RefusalReason>>
  /** Names of the cases whose fact the family's bytes cannot express. */
  readonly cannotShow?: ReadonlyArray<string>
  /** A world that fits into the family's transactions, where they hold less than those of others. */
  readonly fitting?: (plan: WorldPlan) => WorldPlan
}

/** For families whose transactions are one transfer each. */
export const oneTransferEach = {
  cannotShow: [
    "two deposits in one place",
    "the payment names several orders",
    "paid once for two outputs",
    "paid once for two refunds"
  ],
  fitting: (plan: WorldPlan): WorldPlan => ({ ...plan, payments: plan.payments.slice(0, 1) })
} as const

const orderKey = Hex32.make(`0x${"17".repeat(32)}`)
const solver: Signer = {
  account: Result.getOrThrow(accountOfKey(orderKey)),
  sign: (hash) => Result.getOrThrow(signHash(hash, orderKey))
}
const judges = { judgeDeposits, judgeFill, judgeRefund }
const context = { chainOf, network: "mainnet", isSignedBy } as const

/** Two inputs with amounts beyond 2^53, two outputs to one recipient, and calls where there are routers. */
const plan = (family: VmFamily): WorldPlan => ({
  origin: family,
  destination: family,
  inputs: [
    {
      requested: 10n ** 18n,
      paid: 10n ** 18n + 1n,
      weight: 1n,
      currency: 0,
      refundMinimum: 10n ** 17n,
      refundTo: undefined
    },
    { requested: 5_000_000n, paid: 4_999_999n, weight: 3n, currency: 1, refundMinimum: 4_000_000n, refundTo: 30 }
  ],
  payments: [
    { recipient: 40, currency: 0, minimum: 10n ** 18n - 1n, extra: 2n },
    { recipient: 40, currency: 0, minimum: 1n, extra: 0n },
    { recipient: 41, currency: 1, minimum: 77n, extra: 0n }
  ],
  calls: 2,
  fees: 1,
  together: false
})

/** The chains of the laws, two for each family, as a configuration has them. */
export const suiteChains: ReadonlyArray<Chain> = vmFamilies.flatMap((family, index) =>
  [false, true].map((other): Chain => {
    const named = slug(family, other)
    const id = ChainId.make(700_000 + index * 2 + (other ? 1 : 0))
    const { nativeCurrency } = addressCodec(family)
    const native = { chainId: id, address: nativeCurrency, symbol: "N", name: "Native", decimals: 18, isNative: true }
    return {
      id,
      slug: ChainSlug.make(named),
      family: families[family],
      network: "mainnet",
      ...(family === "solana-vm" ? { genesisHash: account(family, other ? 61 : 60) } : {}),
      ...(family === "bitcoin-vm" ? { genesisHash: (other ? "61" : "60").repeat(32) } : {}),
      name: named,
      depository: chainOf(named)?.depository ?? Result.getOrThrow(addressCodec(family).parse("")),
      router: routerOf(family),
      vault: undefined,
      native,
      currencies: [native],
      finality: family === "bitcoin-vm"
        ? { _tag: "Depth", blocks: 6, seconds: 0 }
        : { _tag: "Tag", tag: "finalized", seconds: 60 },
      confirmations: [],
      blockTimeMs: 1_000,
      explorerUrl: undefined
    }
  })
)

const signatures = makeSignatures(await nativeCurve())

const hub = { name: "RelayOracle", version: "1", chainId: 616_100n, verifyingContract: `0x${"9a".repeat(20)}` }

type Verdict =
  | { readonly _tag: "Refused"; readonly reason: RefusalReason | AttestFailure["_tag"] }
  | { readonly _tag: "Signed"; readonly execution: SignedExecution | undefined }

const verdict = <A extends { readonly execution: SignedExecution | undefined }>(
  asked: Effect.Effect<A, AttestFailure>
): Effect.Effect<Verdict> =>
  Effect.match(asked, {
    onSuccess: ({ execution }) => ({ _tag: "Signed", execution }),
    onFailure: (failure) => ({ _tag: "Refused", reason: failure._tag === "Refusal" ? failure.reason : failure._tag })
  })

const attest = (
  of: NegativeCase["of"],
  { fill, plan: { origin }, refund }: World
): Effect.Effect<Verdict, never, Attesting> =>
  Effect.flatMap(Attesting, (attesting) => {
    switch (of) {
      case "deposit":
        return verdict(
          attesting.deposits({ chainId: slug(origin), transactionId: fill.inputs[0]?.transactionId ?? "" })
        )
      case "fill":
        return verdict(attesting.fill(fill))
      case "refund":
        return verdict(attesting.refund(refund))
    }
  })

/** The signed bytes of a verdict, without its signer. */
const signedOf = (verdict: Verdict) =>
  verdict._tag === "Signed" ? [verdict.execution?.idempotencyKey, verdict.execution?.actions] : verdict

/**
 * Every case: the valid world is attested as its judge says, and the spoiled one refused, equally by two oracles with
 * different keys.
 */
export const negativeSuite = (
  { cannotShow = [], family, fitting = (plan) => plan, open, realize = (world) => world, shownAs }: FamilyUnderTest
): void => {
  describe(`never attested on ${family}, read as its own bytes`, shows(family, "negative suite"), () => {
    for (const negative of negativeCases) {
      const right = worldOf(negative, fitting(plan(family)), (fitted) => makeWorld(fitted, solver))
      if (right === undefined || cannotShow.includes(negative.name)) continue
      it.live(`${negative.of}: ${negative.name}`, () =>
        Effect.scoped(Effect.gen(function*() {
          const { observer, show } = yield* open(suiteChains)
          const oracle = (digits: string) =>
            attestingLayer.pipe(Layer.provide([
              Layer.mock(CheckedConfiguration, { assertServing: () => Effect.void }),
              Layer.succeed(Chains, { all: suiteChains }),
              // An observer caches final evidence, so each claim gets an observer of its own, as in another process.
              Layer.fresh(observer),
              signerLayer(Redacted.make(Hex32.make(`0x${digits.repeat(32)}`))).pipe(
                Layer.provideMerge(Layer.succeed(Signatures, signatures))
              ),
              Layer.succeed(Hubs, { domains: [hub] })
            ]))
          const both = (world: World) =>
            Effect.gen(function*() {
              show(world.observations)
              const first = yield* Effect.provide(attest(negative.of, world), Layer.fresh(oracle("a1")))
              const second = yield* Effect.provide(attest(negative.of, world), Layer.fresh(oracle("b2")))
              assert.deepStrictEqual(signedOf(second), signedOf(first))
              return first
            })
          const real = realize(right)
          const accepted = yield* both(real)
          const expected = Result.getOrThrow(verdictOf(judges, context, negative.of, real))
          assert.strictEqual(accepted._tag, "Signed", "reason" in accepted ? accepted.reason : "")
          assert.deepStrictEqual(signedOf(accepted), executionOf(expected))
          const refused = yield* both(realize(negative.spoil(right)))
          const reason = shownAs[negative.refusal] ?? negative.refusal
          assert.deepStrictEqual(refused, { _tag: "Refused", reason })
        })), negative.refusal === "calls-not-executed" ? shows(family, "calls") : undefined)
    }
  })
}

/** The execution of a judge's verdict, in the form of `signedOf`. */
const executionOf = (judged: unknown): unknown => {
  if (typeof judged !== "object" || judged === null || !("execution" in judged)) return undefined
  const { execution } = judged
  return typeof execution === "object" && execution !== null && "idempotencyKey" in execution && "actions" in execution
    ? [execution.idempotencyKey, execution.actions]
    : [undefined, undefined]
}
