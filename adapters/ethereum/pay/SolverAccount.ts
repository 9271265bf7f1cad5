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
  /** The account that signs orders, operates the vault and submits to the hub. It pays, too. */
  readonly account: SendingAccount
  /** Further accounts that make plain payments, each with its own nonces. */
  readonly further: ReadonlyArray<SendingAccount>
  /** Accounts that pay no more. What they have signed is watched and replaced until it is final. */
  readonly retired: ReadonlyArray<SendingAccount>
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

export const layer = (
  { further = [], operator, retired = [], solver }: {
    readonly solver: Secp256k1Signer
    readonly operator?: Secp256k1Signer | undefined
    readonly further?: ReadonlyArray<Secp256k1Signer> | undefined
    readonly retired?: ReadonlyArray<Secp256k1Signer> | undefined
  }
) =>
  Layer.succeed(SolverAccount, {
    account: sendingAccount(solver),
    further: further.map(sendingAccount),
    retired: retired.map(sendingAccount),
    operator: operator === undefined ? undefined : sendingAccount(operator)
  })
