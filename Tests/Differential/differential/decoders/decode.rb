# Reads a JSON array of texts, and prints one of decoded queries.
require "json"
require "rack/utils"
texts = JSON.parse(STDIN.read)
puts JSON.generate(texts.map { |text| Rack::Utils.parse_nested_query(text) }, max_nesting: 0)
