/**
 * Requests for quotes as the OpenAPI document shows them, one from each kind of chain, with the chains of the local
 * network. A test asks a running service for each.
 */

const ETHER = "0x0000000000000000000000000000000000000000"
const evmAccount = "0x8F6f614A09b24707aA27294bF08a239Ad45bD3CC"
const solanaAccount = "9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin"
/** It has coins: the local chain's first blocks are its. */
const bitcoinAccount = "bcrt1ql20mz8neuw7akkuvy2jf4snfqnrrqq6g3dsm4n"
const tronAccount = "TRsbuxREXKJKonexpejWhacE4sYHt1BSHV"
/** One of the local exchange's. */
const exchangeBAccount = "1001"

export const quoteExamples = {
  fromEvmToEvm: {
    summary: "Between EVM chains: 0.1 ETH",
    value: {
      user: evmAccount,
      originChainId: 616101,
      destinationChainId: 616102,
      originCurrency: ETHER,
      destinationCurrency: ETHER,
      amount: "100000000000000000",
      tradeType: "EXACT_INPUT"
    }
  },
  fromEvmToSolana: {
    summary: "From an EVM chain to Solana: 25 USDC, whose recipient gets USDC there",
    value: {
      user: evmAccount,
      recipient: solanaAccount,
      originChainId: 616101,
      destinationChainId: 616110,
      originCurrency: "0x156be1ab50fd81b64705911d052a814d79f2b00e",
      destinationCurrency: "2ANqorABuz1sgNGjpBFk8J3bi7HUD6o19Jh54dxKYzmu",
      amount: "25000000",
      tradeType: "EXACT_INPUT"
    }
  },
  fromSolanaToEvm: {
    summary: "From Solana to an EVM chain: SOL, for exactly 0.01 ETH",
    value: {
      user: solanaAccount,
      recipient: evmAccount,
      originChainId: 616110,
      destinationChainId: 616101,
      originCurrency: "11111111111111111111111111111111",
      destinationCurrency: ETHER,
      amount: "10000000000000000",
      tradeType: "EXACT_OUTPUT"
    }
  },
  fromBitcoinToEvm: {
    summary: "From Bitcoin to an EVM chain: 0.001 BTC. The user's address has the coins: the step is their PSBT",
    value: {
      user: bitcoinAccount,
      recipient: evmAccount,
      originChainId: 616130,
      destinationChainId: 616101,
      originCurrency: "bc1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqmql8k8",
      destinationCurrency: ETHER,
      amount: "100000",
      tradeType: "EXACT_INPUT"
    }
  },
  fromEvmToBitcoin: {
    summary: "From an EVM chain to Bitcoin: 0.1 ETH",
    value: {
      user: evmAccount,
      recipient: bitcoinAccount,
      originChainId: 616101,
      destinationChainId: 616130,
      originCurrency: ETHER,
      destinationCurrency: "bc1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqmql8k8",
      amount: "100000000000000000",
      tradeType: "EXACT_INPUT"
    }
  },
  fromTronToExchangeA: {
    summary: "From Tron to exchange A: 100 TRX for USDC on perps",
    value: {
      user: tronAccount,
      recipient: evmAccount,
      originChainId: 616140,
      destinationChainId: 616120,
      originCurrency: "T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb",
      destinationCurrency: "0x00000000000000000000000000000000",
      amount: "100000000",
      tradeType: "EXACT_INPUT"
    }
  },
  fromExchangeAToTron: {
    summary: "From exchange A to Tron: 25 USDC on spot for USDT. The steps are two signatures",
    value: {
      user: evmAccount,
      recipient: tronAccount,
      originChainId: 616120,
      destinationChainId: 616140,
      originCurrency: "0x6d1e7cde53ba9467b783cb7c530ce054",
      destinationCurrency: "TFyRnoqFizzsHR4VheoWQFn3XCZzgiE4UQ",
      amount: "2500000000",
      tradeType: "EXACT_INPUT"
    }
  },
  fromExchangeBToEvm: {
    summary: "From exchange B to an EVM chain: 25 USDC on perps for ETH. Accounts are numbers there",
    value: {
      user: exchangeBAccount,
      recipient: evmAccount,
      originChainId: 616121,
      destinationChainId: 616101,
      originCurrency: "0",
      destinationCurrency: ETHER,
      amount: "25000000",
      tradeType: "EXACT_INPUT"
    }
  },
  fromEvmToExchangeB: {
    summary: "From an EVM chain to exchange B: 0.1 ETH for USDC on spot",
    value: {
      user: evmAccount,
      recipient: exchangeBAccount,
      originChainId: 616101,
      destinationChainId: 616121,
      originCurrency: ETHER,
      destinationCurrency: "3",
      amount: "100000000000000000",
      tradeType: "EXACT_INPUT"
    }
  }
} as const
