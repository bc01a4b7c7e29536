"""Serves a GGUF file with llama.cpp on 127.0.0.1 and prints the address; ends when its standard input is closed.

usage: serve.py <model.gguf> <port>
"""

import sys

from xllamacpp import CommonParams, Server

p = CommonParams()
p.model.path = sys.argv[1]
p.port = int(sys.argv[2])
p.n_ctx = 512  # small, so that overflowing it is quick
server = Server(p)
print(server.listening_address, flush=True)
sys.stdin.read()
