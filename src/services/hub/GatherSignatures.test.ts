/** What is submitted of what oracles signed: to a gate that takes a list, and to one that is told one oracle. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { HubGate } from "../../../ports/hub/HubGate.ts"
import { Oracles } from "../../../ports/hub/Oracles.ts"
import type { GateForm } from "../../../ports/hub/SettlingHub.ts"
import { Signatures } from "../../../ports/signing/Signatures.ts"
import { ChainSlug } from "../../domain/chain/ChainId.ts"
import type { Hex32 } from "../../domain/encoding/Hex.ts"
import { nobleCurve } from "../../domain/encoding/NobleCurve.ts"
import { accountOfKey, signaturesOn, signDigest } from "../../domain/encoding/Signature.ts"
import { evmAddress } from "../../domain/quote/testing/Chains.ts"
import { executionDigest } from "../../domain/hub/Execution.ts"
import { gatherSignatures } from "./GatherSignatures.ts"
import { dying, hub, word } from "./testing/Stubs.ts"

const execution = { idempotencyKey: word(7), actions: [] }
const digest = Result.getOrThrow(executionDigest(hub.domain, execution))
const signedBy = (key: Hex32) => ({
  signer: Result.getOrThrow(accountOfKey(key)),
  signature: Result.getOrThrow(signDigest(digest, key))
})
const all = [word(11), word(12), word(13)].map(signedBy).toSorted((one, two) => one.signer < two.signer ? -1 : 1)

/** Every oracle answers with its own signature; the gate knows those that are named. */
const gathered = (form: GateForm | undefined, threshold: number, known: ReadonlyArray<string>) =>
  gatherSignatures({ ...hub, form }, threshold, {
    claim: { chainId: ChainSlug.make("alpha"), transactionId: "0x" },
    execution
  }).pipe(Effect.provide(Layer.mergeAll(
    Layer.succeed(
      HubGate,
      dying<HubGate["Service"]>({
        oraclesAmong: (_, accounts) => Effect.succeed(new Set(accounts.filter((account) => known.includes(account))))
      })
    ),
    Layer.succeed(Signatures, { ...signaturesOn(nobleCurve), engine: "noble" }),
    Layer.succeed(Oracles, {
      all: all.map(({ signature, signer }) => ({
        name: signer,
        ask: () =>
          Effect.succeed({
            _tag: "Attested" as const,
            isShadow: false,
            execution: {
              ...execution,
              signatures: [{
                oracleChainId: `${hub.domain.chainId}`,
                oracleContract: hub.gate,
                oracleSigner: signer,
                signature
              }]
            }
          })
      }))
    })
  )))

describe("gathered signatures", () => {
  const [first, second, third] = all
  const multisig = evmAddress("77")

  it.effect("are passed to the gate as a list, as one oracle's, or as those of a contract's signers, ascending", () =>
    Effect.gen(function*() {
      const everybody = all.map(({ signer }) => signer)
      assert.deepStrictEqual(yield* gathered(undefined, 2, everybody), {
        _tag: "Signed",
        call: { ...execution, signatures: [first!.signature, second!.signature] }
      })
      assert.deepStrictEqual(
        yield* gathered({ _tag: "Oracle", multisig: undefined }, 1, [second!.signer]),
        { _tag: "Signed", call: { ...execution, signatures: [second!.signature], oracle: second!.signer } }
      )
      assert.deepStrictEqual(
        yield* gathered({ _tag: "Oracle", multisig }, 2, [first!.signer, third!.signer]),
        { _tag: "Signed", call: { ...execution, signatures: [first!.signature, third!.signature], oracle: multisig } }
      )
      assert.deepStrictEqual(yield* gathered({ _tag: "Oracle", multisig }, 2, [third!.signer]), {
        _tag: "Short",
        why: "signatures-missing"
      })
    }))
})
