/**
 * Who pays on an EVM chain, and signs: the solver's account, and the operator's for sweeps and permits. SECURITY: a
 * signed payment is whoever's its signature says, not whoever's today's configuration would say.
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

/** With authorizations a transaction is of type 4 (EIP-7702), else of type 2. */
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

/** The accounts that pay here. */
export const payersOf = ({ account, operator }: SolverAccount["Service"]) => {
  /** Who sends a payment: sweeps and permits are the operator's, everything else the solver's. */
  const payerOf = ({ _tag }: Payment): Effect.Effect<SendingAccount> => {
    if (_tag !== "Sweep" && _tag !== "Permit") return Effect.succeed(account)
    return operator === undefined
      ? Effect.die(new Error("a process without the key of deposit addresses was to sweep one or to submit a permit"))
      : Effect.succeed(operator)
  }

  /**
   * Whose a signed payment is, by its signature: the stored bytes say it for ever, also of a key that is here no
   * longer.
   */
  const signerOf = async ({ raw }: SignedPayment): Promise<Address> => {
    const serializedTransaction = viemHex(raw)
    return operator === undefined || !isEip1559(serializedTransaction)
      ? account.address
      : recoverTransactionAddress({ serializedTransaction })
  }

  /** Of those that are here, the account that signed. */
  const signedFor = Effect.fnUntraced(function*(signed: SignedPayment) {
    const signer = yield* Effect.promise(() => signerOf(signed))
    return [account, operator].find((each) => each?.address === signer) ??
      (yield* Effect.die(new Error(`a payment of ${signer} cannot be signed anew: its key is not here`)))
  })

  return { payerOf, signerOf, signedFor }
}

export type Payers = ReturnType<typeof payersOf>
