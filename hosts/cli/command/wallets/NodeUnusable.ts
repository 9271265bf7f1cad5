/** The node that a wallet was given is none of the chain. Its message quotes neither a key nor an answer. */
export class NodeUnusable extends Error {}
