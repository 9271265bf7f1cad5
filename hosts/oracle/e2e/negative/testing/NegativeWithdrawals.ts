/**
 * The cases of withdrawals over a family's whole path: a withdrawal's state is written as the family's own bytes,
 * served at the wire, read by its adapter under a quorum, judged and signed. A family provides only the form of its
 * facts.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Result } from "effect"
import type { Scope } from "effect"
import { layer as signerLayer } from "../../../../../adapters/signing/LocalAttestationSigner.ts"
import { makeSignatures } from "../../../../../adapters/signing/LocalSignatures.ts"
import { nativeCurve } from "../../../../../adapters/signing/secp256k1/NativeCurve.ts"
import type { ChainObserver } from "../../../../../ports/chain/ChainObserver.ts"
import { ChainUnavailable } from "../../../../../ports/chain/ChainUnavailable.ts"
import { Chains } from "../../../../../ports/chain/Chains.ts"
import { HubBalances } from "../../../../../ports/hub/HubBalances.ts"
import { Hubs } from "../../../../../ports/hub/Hubs.ts"
import { SettlementHubs } from "../../../../../ports/hub/SettlementHubs.ts"
import { Signatures } from "../../../../../ports/signing/Signatures.ts"
import type { WithdrawalObserver } from "../../../../../ports/chain/WithdrawalObserver.ts"
import { standInContext } from "../../../../../property-tests/EvidenceChains.ts"
import {
  makeWithdrawalWorld,
  withdrawalCases,
  type WithdrawalWorld
} from "../../../../../property-tests/EvidenceWithdrawals.ts"
import { shows } from "../../../../../scripts/testing/Shows.ts"
import { EthereumAddress } from "../../../../../src/domain/chain/Address.ts"
import type { Chain } from "../../../../../src/domain/chain/Chain.ts"
import { ChainId, ChainSlug } from "../../../../../src/domain/chain/ChainId.ts"
import { Hex32 } from "../../../../../src/domain/encoding/Hex.ts"
import type { VmFamily } from "../../../../../src/domain/chain/VmFamily.ts"
import { decodeAction } from "../../../../../src/domain/hub/Action.ts"
import { CheckedConfiguration } from "../../../../../src/services/operations/CheckedConfiguration.ts"
import {
  AttestingWithdrawals,
  layer as attestingLayer
} from "../../../../../src/services/attesting/AttestingWithdrawals.ts"
import { suiteChains } from "./NegativeFamily.ts"
import type { ShownWithdrawal } from "./Observed.ts"

export interface WithdrawalFamilyUnderTest {
  readonly family: VmFamily
  /** Names of the cases whose fact the family's bytes cannot express. */
  readonly cannotShow: ReadonlyArray<string>
  /** The same world with the ids of the family's bytes, where ids are computed from bytes. */
  readonly realize?: (world: WithdrawalWorld) => WithdrawalWorld
  /** The family's observers over an endpoint that shows what was last given to `show`. */
  readonly open: (chains: ReadonlyArray<Chain>) => Effect.Effect<
    {
      readonly observer: Layer.Layer<ChainObserver | WithdrawalObserver>
      readonly show: (shown: ShownWithdrawal) => void
    },
    never,
    Scope.Scope
  >
}

const signatures = makeSignatures(await nativeCurve())

/** The world's hub as a configuration has it. */
const hubOf = ({ terms: { hubs: [hub] } }: WithdrawalWorld) => {
  const slug = ChainSlug.make("hub")
  const verifyingContract = hub?.oracleContract ?? ""
  return {
    slug,
    id: ChainId.make(Number(hub?.chainId ?? 1n)),
    finality: { _tag: "Tag", tag: "finalized", seconds: 1 },
    contract: EthereumAddress.make(`0x${"9b".repeat(20)}`),
    domain: { name: "RelayOracle", version: "1", chainId: hub?.chainId ?? 1n, verifyingContract },
    allocator: hub?.allocator === undefined ? undefined : EthereumAddress.make(hub.allocator)
  } as const
}

/** The laws' signers sign without cryptography. */
const believing = Layer.succeed(Signatures, { ...signatures, isSignedBy: standInContext.isSignedBy })

const unread = Layer.succeed(HubBalances, {
  read: ({ slug }) => Effect.fail(new ChainUnavailable({ chain: slug, operation: "balance", kind: "not-served" })),
  health: () => Effect.succeed({ needed: 0, hosts: [], answering: [], weak: true })
})

const verdictOf = (world: WithdrawalWorld): Effect.Effect<string, never, AttestingWithdrawals> =>
  Effect.flatMap(AttestingWithdrawals, (attesting) =>
    Effect.match(attesting.withdrawal(world.claim), {
      onFailure: (failure) => failure._tag === "Refusal" ? failure.reason : failure._tag,
      onSuccess: ({ execution, message }) => {
        const status = (["pending", "executed", "expired"] as const)[message.status]
        const [action] = execution?.actions ?? []
        if (action === undefined) return `${status}, nothing`
        return Result.getOrThrow(decodeAction(action))._tag === "Burn" ? `${status}, burn` : `${status}, transfer`
      }
    }))

/** Every case has the result that its judge requires, read from the family's bytes. */
export const negativeWithdrawals = (
  { cannotShow, family, open, realize = (world) => world }: WithdrawalFamilyUnderTest
): void => {
  describe(
    `withdrawals of ${family} are attested for what they are and no more, read as its own bytes`,
    shows(family, "negative suite"),
    () => {
      for (const each of withdrawalCases) {
        if (each.appliesTo?.(family) === false || cannotShow.includes(each.name)) continue
        it.live(each.name, () =>
          Effect.scoped(Effect.gen(function*() {
            const { observer, show } = yield* open(suiteChains)
            const world = realize(each.spoil(makeWithdrawalWorld(family)))
            show({ evidence: world.evidence, claimed: world.claim.transactionId })
            const hub = hubOf(world)
            const oracle = attestingLayer.pipe(Layer.provide([
              Layer.mock(CheckedConfiguration, { assertServing: () => Effect.void }),
              Layer.succeed(Chains, { all: suiteChains }),
              Layer.fresh(observer),
              signerLayer(Redacted.make(Hex32.make(`0x${"a1".repeat(32)}`))).pipe(
                Layer.provide(Layer.succeed(Signatures, signatures))
              ),
              believing,
              unread,
              Layer.succeed(Hubs, { domains: [hub.domain] }),
              Layer.succeed(SettlementHubs, { all: [hub] })
            ]))
            assert.strictEqual(yield* Effect.provide(verdictOf(world), oracle), each.verdict(family))
          })))
      }
    }
  )
}
