/** The accounts that send on EVM chains. Their keys are their signers', wherever those are. */
import { Context, Effect, Layer } from "effect"
import { getAddress, keccak256, parseSignature, serializeTransaction } from "viem"
import type { Address, Hex, TransactionSerializableEIP1559, TransactionSerializableEIP7702 } from "viem"
import type { Secp256k1Signer } from "../../../ports/signing/Signer.ts"
import type { SignerUnavailable } from "../../../ports/signing/SignerUnavailable.ts"
import { hexFromBytes } from "../../../src/domain/encoding/Hex.ts"
import { viemHex } from "../rpc/ViemHex.ts"

export interface SendingAccount {
  /** With the checksum, as viem writes and compares them. */
  readonly address: Address
  /** The transaction as it is broadcast. */
  readonly signTransaction: (
    transaction: TransactionSerializableEIP1559 | TransactionSerializableEIP7702
  ) => Effect.Effect<Hex, SignerUnavailable>
}

export class SolverAccount extends Context.Service<SolverAccount, {
  /** The solver's, which pays. */
  readonly account: SendingAccount
  /** The one that empties deposit addresses, in a sequence of its own; undefined in a process that does not. */
  readonly operator: SendingAccount | undefined
}>()("causeway/adapters/ethereum/SolverAccount") {}

export const sendingAccount = ({ account, sign }: Secp256k1Signer): SendingAccount => ({
  address: getAddress(viemHex(account)),
  signTransaction: (transaction) =>
    Effect.map(
      sign(keccak256(serializeTransaction(transaction), "bytes")),
      (signature) => serializeTransaction(transaction, parseSignature(viemHex(hexFromBytes(signature))))
    )
})

export const layer = (solver: Secp256k1Signer, operator?: Secp256k1Signer) =>
  Layer.succeed(SolverAccount, {
    account: sendingAccount(solver),
    operator: operator === undefined ? undefined : sendingAccount(operator)
  })
