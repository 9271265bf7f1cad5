/**
 * The ids of the protocol's messages: EIP-712 `hashStruct` without a domain (EXEC-2, EXEC-1).
 *
 * An oracle signs them by EIP-191 over the 32 raw bytes. Transaction ids, addresses and currencies
 * enter as the bytes of their chain's family.
 */
import * as Result from "effect/Result"
import type { InvalidAbi } from "../encoding/Abi.ts"
import type { InvalidAddress } from "../chain/Address.ts"
import { type Hex, type Hex32, hex32FromDigest, hexToBytes } from "../encoding/Hex.ts"
import { hashWords, keccak, keccakText, word } from "../encoding/StructHash.ts"
import { type InvalidTransactionId, transactionIdToBytes } from "../chain/TransactionId.ts"
import { type ChainRef, codecOf } from "./ChainRef.ts"
import { uint256 } from "./Packed.ts"

/** The attested facts of a deposit. */
export interface DepositMessage {
  readonly transactionId: string
  readonly onchainId: Hex32
  readonly depository: string
  readonly depositId: Hex32
  readonly depositor: string
  readonly currency: string
  readonly amount: bigint
}

/** 0 pending, 1 executed, 2 expired. */
export type WithdrawalStatus = 0 | 1 | 2

/** The attested facts of a withdrawal. */
export interface WithdrawalMessage {
  readonly withdrawal: Hex
  readonly withdrawalId: Hex32
  readonly depository: string
  readonly status: WithdrawalStatus
}

const depositDataType = "Data(string chainId,bytes transactionId)"
const depositResultType =
  "Result(bytes32 onchainId,bytes depository,bytes32 depositId,bytes depositor,bytes currency,uint256 amount)"
const withdrawalDataType = "Data(string chainId,bytes withdrawal)"
const withdrawalResultType = "Result(bytes32 withdrawalId,bytes depository,uint8 status)"

const depositDataTypeHash = keccakText(depositDataType)
const depositResultTypeHash = keccakText(depositResultType)
const depositTypeHash = keccakText(`DepositoryDeposit(Data data,Result result)${depositDataType}${depositResultType}`)
const withdrawalDataTypeHash = keccakText(withdrawalDataType)
const withdrawalResultTypeHash = keccakText(withdrawalResultType)
const withdrawalTypeHash = keccakText(
  `DepositoryWithdrawal(Data data,Result result)${withdrawalDataType}${withdrawalResultType}`
)

/** The id of a DepositoryDeposit: one deposit of a transaction. */
export const depositMessageId = (
  chain: ChainRef,
  message: DepositMessage
): Result.Result<Hex32, InvalidTransactionId | InvalidAddress | InvalidAbi> =>
  Result.gen(function*() {
    const codec = codecOf(chain)
    const transaction = yield* transactionIdToBytes(chain.family, message.transactionId)
    const depository = yield* codec.toBytes(message.depository)
    const depositor = yield* codec.toBytes(message.depositor)
    const currency = yield* codec.currencyToBytes(message.currency)
    const amount = yield* uint256(message.amount, "amount")
    const data = hashWords([depositDataTypeHash, keccakText(chain.slug), keccak(transaction)])
    const result = hashWords([
      depositResultTypeHash,
      hexToBytes(message.onchainId),
      keccak(depository),
      hexToBytes(message.depositId),
      keccak(depositor),
      keccak(currency),
      amount
    ])
    return hex32FromDigest(hashWords([depositTypeHash, data, result]))
  })

/** The id of a DepositoryWithdrawal: the status of a withdrawal. */
export const withdrawalMessageId = (
  chain: ChainRef,
  message: WithdrawalMessage
): Result.Result<Hex32, InvalidAddress> =>
  Result.map(codecOf(chain).toBytes(message.depository), (depository) => {
    const data = hashWords([withdrawalDataTypeHash, keccakText(chain.slug), keccak(hexToBytes(message.withdrawal))])
    const result = hashWords([
      withdrawalResultTypeHash,
      hexToBytes(message.withdrawalId),
      keccak(depository),
      word(BigInt(message.status))
    ])
    return hex32FromDigest(hashWords([withdrawalTypeHash, data, result]))
  })
