/** The accounts that send on EVM chains. Their keys stay with their signers, wherever those are. */
import { Context, Effect, Layer } from "effect"
import { getAddress, keccak256, parseSignature, serializeTransaction } from "viem"
import type { Address, Hex, TransactionSerializableEIP1559, TransactionSerializableEIP7702 } from "viem"
import type { Secp256k1Signer } from "../../../ports/signing/Signer.ts"
import type { SignerUnavailable } from "../../../ports/signing/SignerUnavailable.ts"
import { hexFromBytes } from "../../../src/domain/encoding/Hex.ts"
import { viemHex } from "../rpc/ViemHex.ts"

export interface SendingAccount {
  /** With the checksum, as viem writes and compares addresses. */
  readonly address: Address
  /** The transaction as it is broadcast. */
  readonly signTransaction: (
    transaction: TransactionSerializableEIP1559 | TransactionSerializableEIP7702
  ) => Effect.Effect<Hex, SignerUnavailable>
}

export class SolverAccount extends Context.Service<SolverAccount, {
  /** The solver's account, which pays. */
  readonly account: SendingAccount
  /** The account that sweeps deposit addresses, with its own nonces. Undefined in a process that does not sweep. */
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
