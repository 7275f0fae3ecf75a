#!/bin/bash
echo wrong > /app/answer
