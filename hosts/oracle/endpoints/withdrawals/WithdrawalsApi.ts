/** Bodies of the withdrawal routes (ORACLE-6, ORACLE-9, ORACLE-10). Definitions only. */
import { Schema } from "effect"
import { Address } from "../../../../src/domain/chain/Address.ts"
import { ChainSlug } from "../../../../src/domain/chain/ChainId.ts"
import { Hex, Hex32, Hex32FromString, HexFromString } from "../../../../src/domain/encoding/Hex.ts"
import {
  MessageSignature,
  notes,
  peers,
  shadow,
  TransactionText,
  WireExecution
} from "../attestations/AttestationsApi.ts"

/** An account or a currency in its family's spelling. */
const AccountText = Schema.NonEmptyString.check(Schema.isMaxLength(128))
const SignatureText = HexFromString.check(Schema.isMaxLength(132))
/** 64 kB, far more than a withdrawal of any family needs. */
const WithdrawalText = HexFromString.check(Schema.isMaxLength(131_074))

const account = {
  chainId: ChainSlug,
  currency: AccountText,
  withdrawer: AccountText,
  withdrawerChainId: ChainSlug,
  recipient: AccountText
}

export const WithdrawalRequestBody = Schema.Struct({
  chainId: ChainSlug,
  withdrawal: WithdrawalText,
  transactionId: Schema.optionalKey(
    TransactionText.annotate({ description: "verified when given: the transaction that executed it" })
  ),
  withdrawalAddressRequest: Schema.optionalKey(Schema.Struct({
    ...account,
    withdrawalNonce: Hex32FromString,
    issuance: Schema.optionalKey(
      SignatureText.annotate({ description: "the allocator's signature; without it there is no execution" })
    )
  })),
  ...peers
})

/** The fields in the form in which the owner signs them: the nonce in lower case, the amount as a decimal. */
const initiation = {
  settlementChainId: ChainSlug.annotate({ description: "the hub" }),
  expectedAmount: Schema.NonEmptyString.check(Schema.isMaxLength(78)),
  ...account,
  withdrawalNonce: Hex32
}

export const InitiationRequestBody = Schema.Struct({ ...initiation, signature: SignatureText, ...peers })
export const InitiatedRequestBody = Schema.Struct({ ...initiation, requestPeerSignatures: peers.requestPeerSignatures })

export const WithdrawalAnswer = Schema.Struct({
  message: Schema.Struct({
    data: Schema.Struct({ chainId: Schema.String, withdrawal: Hex }),
    result: Schema.Struct({
      withdrawalId: Hex32,
      depository: Schema.String,
      status: Schema.Literals([0, 1, 2]).annotate({ description: "0 pending, 1 executed, 2 expired" })
    }),
    signature: MessageSignature
  }),
  execution: Schema.optionalKey(WireExecution),
  ...notes
})

export const InitiationAnswer = Schema.Struct({
  message: Schema.Struct({
    /** The claim as it was decoded. */
    data: Schema.Struct({ ...initiation, signature: Hex }),
    result: Schema.Struct({ withdrawalAddress: Address })
  }),
  execution: WireExecution,
  ...notes
})

export const InitiatedAnswer = Schema.Struct({
  message: Schema.Struct({
    data: Schema.Struct(initiation),
    result: Schema.Struct({
      withdrawalAddress: Address,
      proofOfWithdrawalAddressBalance: Hex.annotate({ description: "packed(address, uint256 balance, bytes32 nonce)" })
    })
  }),
  ...shadow
})
