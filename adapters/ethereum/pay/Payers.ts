/**
 * The accounts that pay and sign on an EVM chain: the solver's, and the operator's for sweeps and permits. SECURITY:
 * the owner of a signed payment is recovered from its signature, not derived from today's configuration: another
 * account's nonce would prove nothing about it.
 */
import { Effect, Result } from "effect"
import { keccak256, recoverTransactionAddress } from "viem"
import type {
  Address,
  Hex,
  TransactionSerializableEIP1559,
  TransactionSerializableEIP7702,
  TransactionSerializedEIP1559,
  TransactionSerializedEIP7702
} from "viem"
import { isPlain } from "../../../ports/chain/PaymentKinds.ts"
import type { Payment } from "../../../ports/chain/PaymentKinds.ts"
import type { SignedPayment } from "../../../ports/chain/Treasury.ts"
import { SignerUnavailable } from "../../../ports/signing/SignerUnavailable.ts"
import { parseTransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { families } from "../../../src/domain/families/index.ts"
import { viemHex } from "../rpc/ViemHex.ts"
import type { SendingAccount, SolverAccount } from "./SolverAccount.ts"

const isSignedHere = (raw: Hex): raw is TransactionSerializedEIP1559 | TransactionSerializedEIP7702 =>
  raw.startsWith("0x02") || raw.startsWith("0x04")

/** An account whose key is not in this process. It can be asked about, and signs nothing. */
const withoutKey = (address: Address): SendingAccount => ({
  address,
  signTransaction: () => Effect.fail(new SignerUnavailable({ fault: "refused" }))
})

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
export const payersOf = ({ account, further, operator, retired }: SolverAccount["Service"]) => {
  /**
   * The accounts that may send a payment, in the order of preference: the operator for sweeps and permits, any that pays
   * for a plain payment, and the first one for everything else. The vault is one holding for all accounts, and what is
   * taken from it is added up under the lock of the account that signs.
   */
  const payersFor = (payment: Payment): Effect.Effect<readonly [SendingAccount, ...ReadonlyArray<SendingAccount>]> => {
    if (payment._tag !== "Sweep" && payment._tag !== "Permit") {
      return Effect.succeed(isPlain(payment) ? [account, ...further] : [account])
    }
    return operator === undefined
      ? Effect.die(new Error("a process without the key of deposit addresses was to sweep one or to submit a permit"))
      : Effect.succeed([operator])
  }

  /**
   * The account that signed a payment, recovered from the stored bytes. Works for keys that this process no longer has
   * too.
   */
  const signerOf = async ({ raw }: SignedPayment): Promise<Address> => {
    const serializedTransaction = viemHex(raw)
    if (!isSignedHere(serializedTransaction)) throw new Error("a stored payment is of a type that is never signed")
    return recoverTransactionAddress({ serializedTransaction })
  }

  /** The account that signed the payment. It signs nothing where this process does not have its key. */
  const signedFor = Effect.fnUntraced(function*(signed: SignedPayment) {
    const signer = yield* Effect.promise(() => signerOf(signed))
    return [account, ...further, ...retired, operator].find((each) => each?.address === signer) ?? withoutKey(signer)
  })

  return { payersFor, signerOf, signedFor }
}

export type Payers = ReturnType<typeof payersOf>
