/** A signer signs the same transactions, to the byte, as a wallet with its key. Failures pass through. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import type { TransactionSerializableEIP1559, TransactionSerializableEIP7702 } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { SignerUnavailable } from "../../../ports/signing/SignerUnavailable.ts"
import { secp256k1Signer } from "../../signing/testing/TestSigners.ts"
import { sendingAccount } from "./SolverAccount.ts"

const key = `0x${"a1b2c3d4".repeat(8)}` as const
const wallet = privateKeyToAccount(key)
const plain: TransactionSerializableEIP1559 = {
  type: "eip1559",
  chainId: 31337,
  nonce: 0,
  gas: 21_000n,
  to: wallet.address,
  value: 5n,
  data: "0x",
  maxFeePerGas: 7n,
  maxPriorityFeePerGas: 1n
}

describe("an account that sends", () => {
  it.effect("signs any transaction as a wallet with the same key would", () =>
    Effect.gen(function*() {
      const account = sendingAccount(secp256k1Signer(key))
      assert.strictEqual(account.address, wallet.address)
      const authorization = yield* Effect.promise(() =>
        wallet.signAuthorization({ address: wallet.address, chainId: 31337, nonce: 3 })
      )
      const delegated: TransactionSerializableEIP7702 = {
        ...plain,
        type: "eip7702",
        authorizationList: [authorization]
      }
      // Among this many signatures some have an r or an s with leading zeros.
      const many = Array.from({ length: 300 }, (_, nonce) => ({ ...plain, nonce, data: "0x1234" as const }))
      for (const transaction of [plain, delegated, ...many]) {
        assert.strictEqual(
          yield* account.signTransaction(transaction),
          yield* Effect.promise(() => wallet.signTransaction(transaction))
        )
      }
    }))

  it.effect("returns nothing when its signer does not sign", () =>
    Effect.gen(function*() {
      const refused = Effect.fail(new SignerUnavailable({ fault: "unreachable" }))
      const account = sendingAccount({ ...secp256k1Signer(key), sign: () => refused })
      const answer = yield* Effect.result(account.signTransaction(plain))
      assert.isTrue(Result.isFailure(answer) && answer.failure._tag === "SignerUnavailable")
    }))
})
