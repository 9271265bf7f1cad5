/** A body for each attestation, as a client sends it. Each decodes as that operation's request: a test shows it. */
import type { Json } from "../../../http/document/DescribedSchemas.ts"

const NATIVE = "0x0000000000000000000000000000000000000000"
const USER = "0x8f6f614a09b24707aa27294bf08a239ad45bd3cc"
const SIGNATURE =
  "0xb3fcb733662f11c105b5fb8a4fe32e461ced56b8f3946384375905747c5d81b82ca63ed518689a4da158c178233932941d62033071b53c0563da339e528fe8f11b"
const EXTRA = "0x000000000000000000000000ad4a821e826bcee91f30ac353f0e92e4d7b53512"
const NONCE = "0x0f2c1f7a6b0d4b7b9d1b5a3e6f8c0d2e4a6b8c0d2e4f6a8b0c2d4e6f8a0b2c4d"
const deposit = "0xfba5d7917e796c498ba112fc7997e410608f0367e39388905d3a54b4df9f3752"
const payment = "0x5a1fa779a207948e0aaab2e2fe1796e20f3144272a3f49900c84ca701df0e426"

const refund = (chainId: string, recipient: string, minimumAmount: string) => ({
  chainId,
  recipient,
  currency: NATIVE,
  minimumAmount,
  deadline: 1_796_909_698,
  extraData: EXTRA
})

/** 0.1 ETH from alpha to beta, as a quote with includeProtocolData has it. */
const settled = {
  order: {
    version: "v1",
    solverChainId: "beta",
    solver: "0x9596736edcfc6696bc3c6ab7bbef478c77078f15",
    salt: "0x4861502433811b10f4657dae8e8755e6285f3c096d8dab79f141147fa2985084",
    inputs: [{
      payment: { chainId: "alpha", currency: NATIVE, amount: "100000000000000000", weight: "1" },
      refunds: [
        refund("alpha", USER, "99919791999438544"),
        refund("beta", USER, "99885055999251392"),
        refund("alpha", NATIVE, "99919791999438544")
      ]
    }],
    output: {
      chainId: "beta",
      payments: [{
        recipient: USER,
        currency: NATIVE,
        minimumAmount: "97965958719816592",
        expectedAmount: "99965263999812848"
      }],
      calls: [],
      deadline: 1_796_304_898,
      extraData: EXTRA
    },
    fees: []
  },
  orderSignature: SIGNATURE,
  inputs: [{
    transactionId: deposit,
    onchainId: "0xd94a911aa11ce7ca1b962506f38bc0644de0424101aba50d1b09275c71c5d241",
    inputIndex: 0
  }]
}

const account = {
  chainId: "alpha",
  currency: NATIVE,
  withdrawer: USER,
  withdrawerChainId: "alpha",
  recipient: USER,
  withdrawalNonce: NONCE
}
const initiation = { settlementChainId: "hub", expectedAmount: "100000000000000000", ...account }

/** By the identifiers of the operations. */
export const bodies: Readonly<Record<string, Json>> = {
  attestDeposits: { chainId: "alpha", transactionId: deposit },
  attestFill: { ...settled, fill: { transactionId: payment } },
  attestRefund: { ...settled, refunds: [{ transactionId: payment, inputIndex: 0, refundIndex: 0 }] },
  attestWithdrawal: { chainId: "alpha", withdrawal: "0x1234", withdrawalAddressRequest: account },
  attestInitiation: { ...initiation, signature: SIGNATURE },
  attestInitiated: initiation
}
