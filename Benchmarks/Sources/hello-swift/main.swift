// As small as a program in Swift gets.
print("hello")
