<?php
// Reads a JSON array of texts, and prints one of decoded queries.
$results = [];
foreach (json_decode(stream_get_contents(STDIN), false, 4096) as $text) {
  parse_str($text, $result);
  $results[] = $result;
}
echo json_encode($results, JSON_THROW_ON_ERROR, 4096);
