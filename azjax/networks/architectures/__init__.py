"""The modules of networks: layers, blocks, heads, and the architectures made of them."""
