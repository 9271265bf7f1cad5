/**
 * litesvm's transaction errors in a node's JSON form: `"BlockhashNotFound"`, `{"InstructionError":[0,{"Custom":1}]}`.
 * The tables are in the order of Solana's own enumerations.
 */
import type { FailedTransactionMetadata } from "litesvm"

export type TransactionError = string | Readonly<Record<string, unknown>>

const transactionErrors = [
  "AccountInUse",
  "AccountLoadedTwice",
  "AccountNotFound",
  "ProgramAccountNotFound",
  "InsufficientFundsForFee",
  "InvalidAccountForFee",
  "AlreadyProcessed",
  "BlockhashNotFound",
  "CallChainTooDeep",
  "MissingSignatureForFee",
  "InvalidAccountIndex",
  "SignatureFailure",
  "InvalidProgramForExecution",
  "SanitizeFailure",
  "ClusterMaintenance",
  "AccountBorrowOutstanding",
  "WouldExceedMaxBlockCostLimit",
  "UnsupportedVersion",
  "InvalidWritableAccount",
  "WouldExceedMaxAccountCostLimit",
  "WouldExceedAccountDataBlockLimit",
  "TooManyAccountLocks",
  "AddressLookupTableNotFound",
  "InvalidAddressLookupTableOwner",
  "InvalidAddressLookupTableData",
  "InvalidAddressLookupTableIndex",
  "InvalidRentPayingAccount",
  "WouldExceedMaxVoteCostLimit",
  "WouldExceedAccountDataTotalLimit",
  "MaxLoadedAccountsDataSizeExceeded",
  "ResanitizationNeeded",
  "InvalidLoadedAccountsDataSizeLimit",
  "UnbalancedTransaction",
  "ProgramCacheHitMaxLimit",
  "CommitCancelled"
]

const instructionErrors = [
  "GenericError",
  "InvalidArgument",
  "InvalidInstructionData",
  "InvalidAccountData",
  "AccountDataTooSmall",
  "InsufficientFunds",
  "IncorrectProgramId",
  "MissingRequiredSignature",
  "AccountAlreadyInitialized",
  "UninitializedAccount",
  "UnbalancedInstruction",
  "ModifiedProgramId",
  "ExternalAccountLamportSpend",
  "ExternalAccountDataModified",
  "ReadonlyLamportChange",
  "ReadonlyDataModified",
  "DuplicateAccountIndex",
  "ExecutableModified",
  "RentEpochModified",
  "NotEnoughAccountKeys",
  "AccountDataSizeChanged",
  "AccountNotExecutable",
  "AccountBorrowFailed",
  "AccountBorrowOutstanding",
  "DuplicateAccountOutOfSync",
  "InvalidError",
  "ExecutableDataModified",
  "ExecutableLamportChange",
  "ExecutableAccountNotRentExempt",
  "UnsupportedProgramId",
  "CallDepth",
  "MissingAccount",
  "ReentrancyNotAllowed",
  "MaxSeedLengthExceeded",
  "InvalidSeeds",
  "InvalidRealloc",
  "ComputationalBudgetExceeded",
  "PrivilegeEscalation",
  "ProgramEnvironmentSetupFailure",
  "ProgramFailedToComplete",
  "ProgramFailedToCompile",
  "Immutable",
  "IncorrectAuthority",
  "AccountNotRentExempt",
  "InvalidAccountOwner",
  "ArithmeticOverflow",
  "UnsupportedSysvar",
  "IllegalOwner",
  "MaxAccountsDataAllocationsExceeded",
  "MaxAccountsExceeded",
  "MaxInstructionTraceLengthExceeded",
  "BuiltinProgramsMustConsumeComputeUnits",
  "BorshIoError"
]

type Failure = ReturnType<FailedTransactionMetadata["err"]>
type InstructionFailure = ReturnType<Extract<Failure, { err: unknown }>["err"]>

const instructionError = (error: InstructionFailure): unknown => {
  if (typeof error === "number") return instructionErrors[error] ?? "GenericError"
  return "code" in error ? { Custom: error.code } : "BorshIoError"
}

export const transactionError = (error: Failure): TransactionError => {
  if (typeof error === "number") return transactionErrors[error] ?? "SanitizeFailure"
  if ("err" in error) return { InstructionError: [error.index, instructionError(error.err())] }
  if (!("accountIndex" in error)) return { DuplicateInstruction: error.index }
  // Two classes of one shape: only their names distinguish them.
  const name = error.constructor.name.replace(/^TransactionError/u, "")
  return { [name]: { account_index: error.accountIndex } }
}

/** A node's text for the cause, after "Transaction simulation failed: ". */
export const explain = (error: TransactionError): string => {
  if (error === "BlockhashNotFound") return "Blockhash not found"
  if (error === "AlreadyProcessed") return "This transaction has already been processed"
  if (error === "InsufficientFundsForFee") return "Insufficient funds for fee"
  if (error === "AccountNotFound") return "Attempt to debit an account but found no record of a prior credit."
  if (typeof error === "string") return error
  const failed = error["InstructionError"]
  if (!Array.isArray(failed)) return JSON.stringify(error)
  const parts: ReadonlyArray<unknown> = failed
  const [index, cause] = parts
  const custom = typeof cause === "object" && cause !== null && "Custom" in cause ? Number(cause.Custom) : undefined
  return `Error processing Instruction ${String(index)}: ${
    custom === undefined ? String(cause) : `custom program error: 0x${custom.toString(16)}`
  }`
}
