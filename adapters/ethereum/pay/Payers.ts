/**
 * The accounts that pay and sign on an EVM chain: the solver's, and the operator's for sweeps and permits. SECURITY:
 * the owner of a signed payment is recovered from its signature, not derived from today's configuration.
 */
import { Effect, Result } from "effect"
import { keccak256, recoverTransactionAddress } from "viem"
import type {
  Address,
  Hex,
  TransactionSerializableEIP1559,
  TransactionSerializableEIP7702,
  TransactionSerializedEIP1559
} from "viem"
import type { Payment } from "../../../ports/chain/PaymentKinds.ts"
import type { SignedPayment } from "../../../ports/chain/Treasury.ts"
import type { SignerUnavailable } from "../../../ports/signing/SignerUnavailable.ts"
import { parseTransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { families } from "../../../src/domain/families/index.ts"
import { viemHex } from "../rpc/ViemHex.ts"
import type { SendingAccount, SolverAccount } from "./SolverAccount.ts"

const isEip1559 = (raw: Hex): raw is TransactionSerializedEIP1559 => raw.startsWith("0x02")

type Unsigned = Omit<TransactionSerializableEIP1559, "type"> & {
  readonly authorizationList?: TransactionSerializableEIP7702["authorizationList"]
}

/** A transaction with authorizations has type 4 (EIP-7702), any other has type 2. */
const typed = (
  { authorizationList, ...transaction }: Unsigned
): TransactionSerializableEIP1559 | TransactionSerializableEIP7702 =>
  authorizationList === undefined
    ? { ...transaction, type: "eip1559" }
    : { ...transaction, type: "eip7702", authorizationList }

export const signedBy = (
  payer: SendingAccount,
  transaction: Unsigned
): Effect.Effect<SignedPayment, SignerUnavailable> =>
  Effect.map(payer.signTransaction(typed(transaction)), (raw) => ({
    transactionId: Result.getOrThrow(parseTransactionId(families["ethereum-vm"], keccak256(raw))),
    raw
  }))

/** The accounts that pay on these chains. */
export const payersOf = ({ account, operator }: SolverAccount["Service"]) => {
  /** The sender of a payment: the operator for sweeps and permits, the solver for everything else. */
  const payerOf = ({ _tag }: Payment): Effect.Effect<SendingAccount> => {
    if (_tag !== "Sweep" && _tag !== "Permit") return Effect.succeed(account)
    return operator === undefined
      ? Effect.die(new Error("a process without the key of deposit addresses was to sweep one or to submit a permit"))
      : Effect.succeed(operator)
  }

  /**
   * The account that signed a payment, recovered from the stored bytes. Works for keys that this process no longer has
   * too.
   */
  const signerOf = async ({ raw }: SignedPayment): Promise<Address> => {
    const serializedTransaction = viemHex(raw)
    return operator === undefined || !isEip1559(serializedTransaction)
      ? account.address
      : recoverTransactionAddress({ serializedTransaction })
  }

  /** The account of this process that signed the payment. */
  const signedFor = Effect.fnUntraced(function*(signed: SignedPayment) {
    const signer = yield* Effect.promise(() => signerOf(signed))
    return [account, operator].find((each) => each?.address === signer) ??
      (yield* Effect.die(new Error(`a payment of ${signer} cannot be signed anew: its key is not here`)))
  })

  return { payerOf, signerOf, signedFor }
}

export type Payers = ReturnType<typeof payersOf>
