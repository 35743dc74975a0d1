// A minimal Swift program.
print("hello")
